package simkafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"

	"github.com/twmb/franz-go/pkg/kfake"
)

// network is where brokers listen and clients dial: loopback TCP, or a virtual
// one.
type network struct{ virtual *kfake.VirtualNetwork }

func (n network) listen(address string) (net.Listener, error) {
	if n.virtual != nil {
		return n.virtual.Listen("tcp", address)
	}
	return net.Listen("tcp", address)
}

func (n network) dial(ctx context.Context, address string) (net.Conn, error) {
	if n.virtual != nil {
		conn, err := n.virtual.DialContext(ctx, "tcp", address)
		if err != nil && ctx.Err() == nil {
			// As a kernel says it: clients go by the type, not by the text.
			err = &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("%w: %w", os.NewSyscallError("connect", syscall.ECONNREFUSED), err)}
		}
		return conn, err
	}
	return new(net.Dialer).DialContext(ctx, "tcp", address)
}

// doorway is the listener of one broker, as kfake sees it. It outlives the
// broker's stops: while shut, the port is really closed, connections are cut,
// and Accept waits.
type doorway struct {
	network network
	address net.Addr
	wrap    func(net.Conn) net.Conn // lays security on
	conns   chan net.Conn
	gone    chan struct{} // closed by Close

	mu     sync.Mutex
	inner  net.Listener // nil while shut
	live   map[*tracked]bool
	closed bool
}

// newDoorway opens the port once to learn its address.
func newDoorway(n network, address string, wrap func(net.Conn) net.Conn) (*doorway, error) {
	inner, err := n.listen(address)
	if err != nil {
		return nil, err
	}
	d := &doorway{
		network: n, address: inner.Addr(), inner: inner, wrap: wrap,
		conns: make(chan net.Conn), gone: make(chan struct{}), live: map[*tracked]bool{},
	}
	go d.accept(inner)
	return d, nil
}

// Addr is the address of the port, open or not.
func (d *doorway) Addr() net.Addr { return d.address }

// Accept waits for a connection, also while the port is shut.
func (d *doorway) Accept() (net.Conn, error) {
	select {
	case conn := <-d.conns:
		return conn, nil
	case <-d.gone:
		return nil, net.ErrClosed
	}
}

// Close shuts the port for good.
func (d *doorway) Close() error {
	d.mu.Lock()
	if !d.closed {
		d.closed = true
		close(d.gone)
	}
	d.mu.Unlock()
	d.shut()
	return nil
}

// open opens the port again; it does nothing if it is open.
func (d *doorway) open() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inner != nil || d.closed {
		return nil
	}
	inner, err := d.network.listen(d.address.String())
	if err != nil {
		return fmt.Errorf("listen again on %v: %w", d.address, err)
	}
	d.inner = inner
	go d.accept(inner)
	return nil
}

// shut closes the port and cuts every connection.
func (d *doorway) shut() {
	d.mu.Lock()
	inner, live := d.inner, d.live
	d.inner, d.live = nil, map[*tracked]bool{}
	d.mu.Unlock()
	if inner != nil {
		inner.Close()
	}
	for conn := range live {
		conn.Conn.Close()
	}
}

func (d *doorway) accept(inner net.Listener) {
	for {
		conn, err := inner.Accept()
		if err != nil {
			return
		}
		t, err := d.track(inner, conn)
		if err != nil {
			conn.Close()
			continue
		}
		select {
		case d.conns <- d.wrap(t):
		case <-d.gone:
			conn.Close()
			return
		}
	}
}

var errShut = errors.New("the port has been shut")

func (d *doorway) track(inner net.Listener, conn net.Conn) (*tracked, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inner != inner {
		return nil, errShut
	}
	t := &tracked{Conn: conn, of: d}
	d.live[t] = true
	return t, nil
}

// tracked is a connection that its doorway can cut.
type tracked struct {
	net.Conn
	of *doorway
}

// Close closes the connection and forgets it.
func (t *tracked) Close() error {
	t.of.mu.Lock()
	delete(t.of.live, t)
	t.of.mu.Unlock()
	return t.Conn.Close()
}
