package kafkatest

import (
	"io"
	"net"
	"testing"
	"time"
)

// chatter is a server that answers each connection with what it receives.
func chatter(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return l.Addr().String()
}

// relayTo is a relay in front of an address, with a connection through it.
func relayTo(t *testing.T, target string) (*Relay, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{
		target: target, listener: l, conns: map[*relayed]struct{}{},
		of: func(int32) *Relay { return nil },
	}
	go r.serve()
	t.Cleanup(r.close)
	return r, dial(t, r)
}

func dial(t *testing.T, r *Relay) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", r.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// echo sends n bytes and returns how long they took to come back.
func echo(t *testing.T, conn net.Conn, n int) time.Duration {
	t.Helper()
	begin := time.Now()
	go conn.Write(make([]byte, n))
	if _, err := io.ReadFull(conn, make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	return time.Since(begin)
}

func TestARelayCapsTheRateOfAllItsConnectionsTogether(t *testing.T) {
	t.Parallel()
	r, first := relayTo(t, chatter(t))
	second := dial(t, r)
	r.Limit(1_000_000)
	begin := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		echo(t, first, 200_000)
	}()
	echo(t, second, 200_000)
	<-done
	if took := time.Since(begin); took < 380*time.Millisecond || took > 1500*time.Millisecond {
		t.Errorf("2 x 200 kB at 1 MB/s took %v, want about 0.4 s", took)
	}
	if in, out := r.Bytes(); in != 400_000 || out != 400_000 {
		t.Errorf("passed %d in and %d out, want 400000 each", in, out)
	}
}

func TestARelayDelaysWithoutCappingTheRate(t *testing.T) {
	t.Parallel()
	r, conn := relayTo(t, chatter(t))
	r.Delay(100 * time.Millisecond)
	if took := echo(t, conn, 1_000_000); took < 200*time.Millisecond || took > 1500*time.Millisecond {
		t.Errorf("1 MB there and back under a delay of 100 ms took %v, want a little over 0.2 s", took)
	}
}

func TestAMutedRelayHoldsBytesUntilItIsMended(t *testing.T) {
	t.Parallel()
	r, conn := relayTo(t, chatter(t))
	echo(t, conn, 100)
	r.Mute()
	mended := time.AfterFunc(200*time.Millisecond, r.Mend)
	defer mended.Stop()
	if took := echo(t, conn, 100); took < 190*time.Millisecond {
		t.Errorf("an answer came after %v, while the relay was muted", took)
	}
}

func TestACutRelayEndsConnectionsAndTakesNewOnesOnlyWhenMended(t *testing.T) {
	t.Parallel()
	r, conn := relayTo(t, chatter(t))
	echo(t, conn, 100)
	r.Cut()
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("an open connection survived the cut")
	}
	late := dial(t, r)
	if _, err := late.Read(make([]byte, 1)); err == nil {
		t.Error("a new connection was served while cut")
	}
	r.Mend()
	echo(t, dial(t, r), 100)
}

func TestWhatABrokerFetchesLiesOnItsOwnLinkToo(t *testing.T) {
	t.Parallel()
	source, conn := relayTo(t, chatter(t))
	destination, _ := relayTo(t, chatter(t))
	source.of = func(broker int32) *Relay {
		if broker == 7 {
			return destination
		}
		return nil
	}
	id := "broker-7-fetcher-0"
	request := append(make([]byte, requestHeader-2), 0, byte(len(id)))
	request = append(request, id...)
	if _, err := conn.Write(request); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, len(request))); err != nil {
		t.Fatal(err)
	}
	n := int64(len(request))
	if in, out := source.Bytes(); in != n || out != n {
		t.Errorf("source passed %d in and %d out, want %d each", in, out, n)
	}
	if in, out := destination.Bytes(); in != n || out != n {
		t.Errorf("destination passed %d in and %d out, want %d each", in, out, n)
	}
}
