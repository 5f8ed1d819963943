package simkafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// Cluster is a simulated cluster that answers clients. Its methods may be
// called at once from many goroutines.
type Cluster struct {
	network network
	fake    *kfake.Cluster
	brokers []*broker // as kfake numbers them
	doors   []*doorway
	dir     string
	control net.Listener // of StopBroker; nil on a virtual network

	mu      sync.Mutex
	m       *model
	started time.Time
	timer   *time.Timer
	closed  bool

	gone  chan struct{} // closed by Close
	calls calls
}

// Option changes how a cluster is started.
type Option func(*options)

type options struct {
	network network
	kfake   []kfake.Opt
	login   bool
	tokens  func(token string) (time.Duration, bool)
}

// On makes the cluster listen on a virtual network: clients need
// [Cluster.Dial], and the whole can run in a testing/synctest bubble. There is
// no control address then.
func On(n *kfake.VirtualNetwork) Option {
	return func(o *options) { o.network.virtual = n }
}

// Start starts the cluster that s describes.
func Start(s Spec, opts ...Option) (*Cluster, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	m, err := newModel(s)
	if err != nil {
		return nil, err
	}
	if len(m.brokers) == 0 {
		return nil, errors.New("a cluster without brokers")
	}
	c := &Cluster{network: o.network, m: m, brokers: m.sortedBrokers(), started: time.Now(), gone: make(chan struct{})}
	if err := c.listen(o); err != nil {
		c.Close()
		return nil, err
	}
	c.serve()
	if o.tokens != nil {
		c.tokenLogin(o.tokens)
	}
	c.do(func(*model) {})
	return c, nil
}

// listen opens the ports and starts kfake behind them.
func (c *Cluster) listen(o options) error {
	if c.network.virtual == nil {
		if err := c.openControl(); err != nil {
			return err
		}
	}
	ports := make([]int, len(c.brokers))
	for i := range ports {
		if c.network.virtual != nil {
			ports[i] = firstVirtualPort + i
		}
	}
	opts := append([]kfake.Opt{
		kfake.Ports(ports...), kfake.ClusterID(c.m.id),
		kfake.ListenFn(func(_, address string) (net.Listener, error) { return c.newDoor(address, o.secure) }),
	}, o.kfake...)
	fake, err := kfake.NewCluster(opts...)
	if err != nil {
		return fmt.Errorf("start the simulated cluster: %w", err)
	}
	c.fake = fake
	return nil
}

// firstVirtualPort is where the brokers of a virtual network begin.
const firstVirtualPort = 9092

// newDoor is asked by kfake for one listener a broker, in their order.
func (c *Cluster) newDoor(address string, wrap func(net.Conn) net.Conn) (net.Listener, error) {
	door, err := newDoorway(c.network, address, wrap)
	if err != nil {
		return nil, err
	}
	b := c.brokers[len(c.doors)]
	c.doors = append(c.doors, door)
	if b.host == "" {
		_, port, _ := net.SplitHostPort(door.Addr().String())
		n, err := strconv.ParseInt(port, 10, 32)
		if err != nil {
			return nil, err
		}
		b.host, b.port = "127.0.0.1", int32(n)
	}
	return door, nil
}

// Close stops everything and removes the temporary folder. It may be called
// again.
func (c *Cluster) Close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	close(c.gone)
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Unlock()
	if c.fake != nil {
		c.fake.Close()
	}
	for _, door := range c.doors {
		door.Close()
	}
	if c.control != nil {
		c.control.Close()
	}
	if c.dir != "" {
		os.RemoveAll(c.dir)
	}
}

// do lets time pass in the model, changes it, and follows with ports and timer.
func (c *Cluster) do(change func(*model)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.m.advance(time.Since(c.started))
	change(c.m)
	c.m.advance(c.m.now)
	c.follow()
}

// follow opens and shuts ports as processes start and end, and sets the timer
// to what happens next.
func (c *Cluster) follow() {
	for i, b := range c.brokers {
		if !b.running {
			c.doors[i].shut()
		} else if err := c.doors[i].open(); err != nil {
			// Somebody else has the port: like a broker that cannot bind.
			c.m.crash(b)
		}
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	if at, ok := c.m.next(); ok {
		c.timer = time.AfterFunc(at-time.Since(c.started), func() { c.do(func(*model) {}) })
	}
}

// Bootstrap is the advertised address of every broker that runs.
func (c *Cluster) Bootstrap() []string {
	var all []string
	c.do(func(m *model) {
		for _, b := range c.brokers {
			if b.running {
				all = append(all, b.address())
			}
		}
	})
	return all
}

func (b *broker) address() string { return net.JoinHostPort(b.host, strconv.Itoa(int(b.port))) }

// Dial connects to an advertised address, whatever the name stands for: a
// dialer for kgo. Clusters whose brokers advertise names need it.
func (c *Cluster) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	for i, b := range c.brokers {
		if b.address() == address {
			return c.network.dial(ctx, c.doors[i].Addr().String())
		}
	}
	return nil, fmt.Errorf("dial %s: no such broker", address)
}

// Crash ends the process of a broker at once, as SIGKILL does. The others learn
// of it when its session ends.
func (c *Cluster) Crash(id int32) { c.with(id, (*model).crash) }

// Shutdown begins a controlled shutdown, as SIGTERM does.
func (c *Cluster) Shutdown(id int32) { c.with(id, (*model).terminate) }

// StartBroker starts a stopped broker.
func (c *Cluster) StartBroker(id int32) { c.with(id, (*model).start) }

func (c *Cluster) with(id int32, f func(*model, *broker)) {
	c.do(func(m *model) {
		b := m.brokers[id]
		if b == nil {
			panic(fmt.Sprintf("simkafka: no broker %d", id))
		}
		f(m, b)
	})
}

// serve hands every request that the model answers to it.
func (c *Cluster) serve() {
	for key := range handlers {
		c.fake.ControlKey(key, func(req kmsg.Request) (kmsg.Response, error, bool) {
			c.fake.KeepControl()
			resp, err := c.answer(c.fake.CurrentNode(), req)
			return resp, err, true
		})
	}
}

// Running says whether the process of a broker runs.
func (c *Cluster) Running(id int32) bool {
	running := false
	c.with(id, func(_ *model, b *broker) { running = b.running })
	return running
}

// BrokerState is what the controller thinks of a broker.
func (c *Cluster) BrokerState(id int32) plan.State {
	var s plan.State
	c.with(id, func(_ *model, b *broker) { s = b.state })
	return s
}
