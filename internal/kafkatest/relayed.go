package kafkatest

import (
	"bytes"
	"io"
	"net"
	"sync"
	"time"
)

const (
	// chunkSize is how much of a connection passes at a time; small, so that the
	// connections of a slow link share it evenly.
	chunkSize = 16 << 10
	// chunksOnTheWay bounds what a delayed connection holds: 4 MB each way.
	chunksOnTheWay = 256
)

// relayed is one connection through a relay. It lies on the link of the broker
// that was dialed and, if a broker dialed, on that one's too.
type relayed struct {
	client net.Conn
	links  []*Relay // the dialed broker's, then the dialing one's if any

	done chan struct{} // closed when the connection ends
	once sync.Once
}

// close ends the connection; it may be called more than once.
func (c *relayed) close() { c.once.Do(func() { close(c.done) }) }

// run connects to the broker and carries bytes both ways until either side ends;
// those that were read already go first.
func (c *relayed) run(target string, first []byte) {
	server, err := net.Dial("tcp", target)
	if err != nil {
		return // the broker is down
	}
	in, out := c.lanes()
	var both sync.WaitGroup
	both.Go(func() { c.carry(io.MultiReader(bytes.NewReader(first), c.client), server, in) })
	both.Go(func() { c.carry(server, c.client, out) })
	<-c.done
	server.Close()
	c.client.Close()
	both.Wait()
}

// lanes are what the two directions pass: bytes that come in at the dialed
// broker have left the one that dialed, and the other way round.
func (c *relayed) lanes() (in, out []*lane) {
	in, out = []*lane{&c.links[0].in}, []*lane{&c.links[0].out}
	for _, dialer := range c.links[1:] {
		in, out = append(in, &dialer.out), append(out, &dialer.in)
	}
	return in, out
}

// onTheWay is a chunk that has left its sender.
type onTheWay struct {
	chunk []byte
	due   time.Time
}

// carry moves bytes from one side to the other and ends the connection when
// there are no more. Reading waits for the rate, writing for the delay: with one
// loop for both, a delay would cap the rate too.
func (c *relayed) carry(from io.Reader, to io.Writer, lanes []*lane) {
	way := make(chan onTheWay, chunksOnTheWay)
	var delivered sync.WaitGroup
	delivered.Go(func() {
		defer c.close()
		c.deliver(way, to, lanes)
	})
	defer delivered.Wait()
	defer close(way)
	for {
		chunk := make([]byte, chunkSize)
		n, err := from.Read(chunk)
		if n > 0 {
			c.waitUntil(time.Now().Add(wait(lanes, n)))
			select {
			case way <- onTheWay{chunk[:n], time.Now().Add(c.delay())}:
			case <-c.done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait admits n bytes to every lane and returns the longest wait.
func wait(lanes []*lane, n int) time.Duration {
	var longest time.Duration
	for _, l := range lanes {
		longest = max(longest, l.admit(n, time.Now()))
	}
	return longest
}

func (c *relayed) delay() time.Duration {
	var d time.Duration
	for _, link := range c.links {
		d += time.Duration(link.delay.Load())
	}
	return d
}

func (c *relayed) deliver(way <-chan onTheWay, to io.Writer, lanes []*lane) {
	for w := range way {
		c.waitUntil(w.due)
		if !c.waitUnmuted() {
			return
		}
		for _, l := range lanes { // before the write: who got an answer finds it counted
			l.bytes.Add(int64(len(w.chunk)))
		}
		if _, err := to.Write(w.chunk); err != nil {
			return
		}
	}
}

// waitUntil waits for a moment, or for the end of the connection.
func (c *relayed) waitUntil(moment time.Time) {
	d := time.Until(moment)
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.done:
	}
}

// waitUnmuted waits until no link of the connection is muted, and tells whether
// the connection still stands.
func (c *relayed) waitUnmuted() bool {
	for _, link := range c.links {
		for muted := link.mute(); muted != nil; muted = link.mute() {
			select {
			case <-muted:
			case <-c.done:
				return false
			}
		}
	}
	return true
}
