package simkafka

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Fault is something that goes wrong with requests. The fields down to When say
// with which: all that are set must fit.
type Fault struct {
	Keys    []kmsg.Key // none: every request
	Brokers []int32    // that are asked; none: all
	When    func(kmsg.Request) bool

	// Topic, Partitions and Resource limit Code to a part of the request: those
	// partitions, the settings of that topic, or of that resource (a broker's
	// number, or a topic).
	Topic      string
	Partitions []int32
	Resource   string

	Code int16  // the error that is answered instead of acting
	Text string // the words beside it

	DropBefore bool            // the connection is cut, nothing has been done
	DropAfter  bool            // the connection is cut, it has been done
	Hold       <-chan struct{} // the request waits until this is closed

	Times int // requests it spoils; 0 is one, below 0 all until it is removed
}

type armed struct {
	Fault
	left int
}

// Inject arms a fault; remove takes it back.
func (c *Cluster) Inject(f Fault) (remove func()) {
	a := &armed{Fault: f, left: f.Times}
	if f.Times == 0 {
		a.left = 1
	}
	c.calls.mu.Lock()
	defer c.calls.mu.Unlock()
	c.calls.faults = append(c.calls.faults, a)
	return func() {
		c.calls.mu.Lock()
		defer c.calls.mu.Unlock()
		c.calls.faults = slices.DeleteFunc(c.calls.faults, func(other *armed) bool { return other == a })
	}
}

// faultsFor picks the faults that spoil a request, and counts them down.
func (c *calls) faultsFor(call Call) []Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	var hit []Fault
	for _, a := range c.faults {
		if a.left != 0 && a.fits(call) {
			a.left--
			hit = append(hit, a.Fault)
		}
	}
	return hit
}

func (f Fault) fits(call Call) bool {
	return (len(f.Keys) == 0 || slices.Contains(f.Keys, kmsg.Key(call.Request.Key()))) &&
		(len(f.Brokers) == 0 || slices.Contains(f.Brokers, call.Broker)) &&
		(f.When == nil || f.When(call.Request))
}

// FailController leaves the cluster without an active controller for a while:
// what brokers forward to it is answered with REQUEST_TIMED_OUT, unapplied.
// Then another voter leads the quorum. In ZooKeeper mode another broker is the
// controller.
func (c *Cluster) FailController(d time.Duration) {
	c.do(func(m *model) {
		m.headless = m.now + d
		m.quorum.LeaderID = m.nextController()
	})
}
