package kafkatest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Relay is the network link of one broker: a TCP relay whose address the broker
// advertises, to clients and to other brokers. What another broker fetches
// through it counts on the link of that broker too (known by the client id of
// its replica fetchers, so not under TLS). Traffic with the controllers does not
// pass, so that a broker behind a cut link is not fenced for it.
//
// Its methods may be called at any time, by several goroutines.
type Relay struct {
	port     int
	target   string
	listener net.Listener
	of       func(broker int32) *Relay // nil for a broker that has none

	in, out lane // towards the broker, and from it
	delay   atomic.Int64

	mu    sync.Mutex
	down  bool          // Cut, or closed
	muted chan struct{} // nil, or open until Mend
	conns map[*relayed]struct{}
}

// Relay is the link of one broker. The cluster must have been started with
// Spec.Relay.
func (c *Cluster) Relay(id int32) *Relay {
	c.t.Helper()
	r := c.node(id).relay
	if r == nil {
		c.t.Fatalf("broker %d has no relay: set Spec.Relay", id)
	}
	return r
}

// Limit caps each direction of the link at so many bytes per second, over all
// its connections; 0 is no cap.
func (r *Relay) Limit(bytesPerSec int64) {
	r.in.limit(bytesPerSec)
	r.out.limit(bytesPerSec)
}

// Delay holds every byte back for so long, in both directions.
func (r *Relay) Delay(d time.Duration) { r.delay.Store(int64(d)) }

// Bytes tells how much passed so far: towards the broker, and from it.
func (r *Relay) Bytes() (in, out int64) { return r.in.bytes.Load(), r.out.bytes.Load() }

// Cut closes all connections of the link, and each new one at once.
func (r *Relay) Cut() {
	r.mu.Lock()
	r.down = true
	conns := slices.Collect(maps.Keys(r.conns))
	r.mu.Unlock()
	for _, conn := range conns {
		conn.close()
	}
}

// Mute swallows everything: connections stay open, new ones are accepted, and
// no byte comes through until Mend.
func (r *Relay) Mute() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.muted == nil {
		r.muted = make(chan struct{})
	}
}

// Mend undoes Cut and Mute. Bytes that a muted link held back come through.
func (r *Relay) Mend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = false
	if r.muted != nil {
		close(r.muted)
		r.muted = nil
	}
}

// mute is open while the link is muted, nil when it is not.
func (r *Relay) mute() chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.muted
}

// join makes the link know a connection, unless it is down.
func (r *Relay) join(conn *relayed) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.down {
		r.conns[conn] = struct{}{}
	}
	return !r.down
}

func (r *Relay) leave(conn *relayed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, conn)
}

func (r *Relay) close() {
	r.listener.Close()
	r.Cut()
}

// relayBrokers puts a relay in front of every broker.
func (c *Cluster) relayBrokers() error {
	of := func(id int32) *Relay {
		for _, n := range c.nodes {
			if n.id == id {
				return n.relay
			}
		}
		return nil
	}
	for _, n := range c.nodes {
		if !n.broker {
			continue
		}
		port, err := c.ports.claim()
		if err != nil {
			return err
		}
		listener, err := net.Listen("tcp", loopback(port))
		if err != nil {
			return fmt.Errorf("relay of broker %d: %w", n.id, err)
		}
		n.relay = &Relay{
			port: port, target: loopback(n.ports.client), listener: listener, of: of,
			conns: map[*relayed]struct{}{},
		}
	}
	for _, n := range c.nodes {
		if n.relay != nil {
			go n.relay.serve()
		}
	}
	return nil
}

// serve accepts connections until the relay is closed.
func (r *Relay) serve() {
	for {
		client, err := r.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			go r.connect(client)
		} // else the next one may do: the error is this connection's own
	}
}

// connect carries one connection until either end closes it.
func (r *Relay) connect(client net.Conn) {
	defer client.Close()
	conn := &relayed{client: client, links: []*Relay{r}, done: make(chan struct{})}
	if !r.join(conn) {
		return
	}
	defer r.leave(conn)
	// The client speaks first, in plain text as under TLS.
	first := make([]byte, chunkSize)
	n, err := io.ReadAtLeast(client, first, requestHeader)
	if err != nil {
		return
	}
	if dialer := r.dialer(first[:n]); dialer != nil {
		if !dialer.join(conn) {
			return
		}
		defer dialer.leave(conn)
		conn.links = append(conn.links, dialer)
	}
	conn.run(r.target, first[:n])
}

// requestHeader is where the client id begins in a request: after the sizes of
// the request and of the id, its key, version and correlation id.
const requestHeader = 14

// dialer is the relay of the broker that sends the request, if it is a replica
// fetcher's.
//
// Source: the client id of BrokerBlockingSender, before 3.4 ReplicaFetcherBlockingSend.
func (r *Relay) dialer(request []byte) *Relay {
	size := int(int16(binary.BigEndian.Uint16(request[requestHeader-2:])))
	if size < 0 || size > len(request)-requestHeader {
		return nil
	}
	var broker, fetcher int32
	id := string(request[requestHeader : requestHeader+size])
	if _, err := fmt.Sscanf(id, "broker-%d-fetcher-%d", &broker, &fetcher); err != nil {
		return nil
	}
	return r.of(broker)
}
