package simkafka

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// Call is one request that reached a broker.
type Call struct {
	N        int // from 1, in the order they came
	At       time.Time
	Broker   int32
	Request  kmsg.Request
	Response kmsg.Response // nil as long as it is not applied; it may be cut off on its way back
}

// Mutating says that the request may change the cluster.
func (c Call) Mutating() bool {
	switch kmsg.Key(c.Request.Key()) {
	case kmsg.CreateTopics, kmsg.DeleteTopics, kmsg.CreatePartitions, kmsg.AlterReplicaLogDirs, kmsg.ElectLeaders,
		kmsg.IncrementalAlterConfigs, kmsg.AlterPartitionAssignments, kmsg.UnregisterBroker:
		return true
	}
	return false
}

// Hook is called for every request, before it is applied and after. It must not
// call methods of the cluster that send requests themselves.
type Hook func(c Call, after bool)

// calls is the record of what came, and what is done to it.
type calls struct {
	mu     sync.Mutex
	n      int
	made   []Call // the mutating ones
	hooks  []Hook
	faults []*armed
}

// Requests is the record of every mutating request so far, answered or not, in
// the order in which they came.
func (c *Cluster) Requests() []Call {
	c.calls.mu.Lock()
	defer c.calls.mu.Unlock()
	return slices.Clone(c.calls.made)
}

// OnRequest has h called for every request from now on.
func (c *Cluster) OnRequest(h Hook) {
	c.calls.mu.Lock()
	defer c.calls.mu.Unlock()
	c.calls.hooks = append(c.calls.hooks, h)
}

func (c *calls) begin(broker int32, req kmsg.Request) Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	call := Call{N: c.n, At: time.Now(), Broker: broker, Request: req}
	if call.Mutating() {
		c.made = append(c.made, call)
	}
	return call
}

func (c *calls) answered(call Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, ok := slices.BinarySearchFunc(c.made, call.N, func(made Call, n int) int { return made.N - n })
	if ok {
		c.made[i] = call
	}
}

func (c *calls) tell(call Call, after bool) {
	c.mu.Lock()
	hooks := slices.Clone(c.hooks)
	c.mu.Unlock()
	for _, h := range hooks {
		h(call, after)
	}
}

var errCut = errors.New("the connection is cut")

// answer is one request from its arrival to its answer; an error cuts the
// connection.
func (c *Cluster) answer(node int32, req kmsg.Request) (kmsg.Response, error) {
	b := c.brokers[node]
	call := c.calls.begin(b.id, req)
	c.calls.tell(call, false)
	faults := c.calls.faultsFor(call)
	c.hold(faults)
	if unreadable(req) || slices.ContainsFunc(faults, func(f Fault) bool { return f.DropBefore }) {
		return nil, errCut
	}
	resp, err := c.apply(b, call, faults)
	if err != nil {
		return nil, err
	}
	call.Response = resp
	c.calls.answered(call)
	c.calls.tell(call, true)
	if slices.ContainsFunc(faults, func(f Fault) bool { return f.DropAfter }) {
		return nil, errCut
	}
	return resp, nil
}

// hold waits for what holds a request, while others pass.
func (c *Cluster) hold(faults []Fault) {
	for _, f := range faults {
		if f.Hold != nil {
			c.fake.SleepControl(func() {
				select {
				case <-f.Hold:
				case <-c.gone:
				}
			})
		}
	}
}

// unreadable says that a real broker cannot parse the request, and cuts the
// connection: a string of the protocol ends at 32,767 bytes.
func unreadable(req kmsg.Request) bool {
	alter, ok := req.(*kmsg.IncrementalAlterConfigsRequest)
	if !ok {
		return false
	}
	for _, r := range alter.Resources {
		for _, c := range r.Configs {
			if c.Value != nil && len(*c.Value) > longestValue {
				return true
			}
		}
	}
	return false
}

// apply lets the model answer.
func (c *Cluster) apply(b *broker, call Call, faults []Fault) (resp kmsg.Response, err error) {
	h := handlers[call.Request.Key()]
	err = errCut // unless the broker is still there
	c.do(func(m *model) {
		if !b.running {
			return
		}
		q := &question{model: m, at: b, faults: faults}
		err = nil
		switch code := q.whole(); {
		case code != 0:
			resp = h.refuse(call.Request, code)
		case h.forwarded && m.headlessNow():
			resp = h.refuse(call.Request, kerr.RequestTimedOut.Code)
		default:
			resp = h.answer(q, call.Request)
		}
	})
	return resp, err
}

// question is a request at a broker, and what is to go wrong with it.
type question struct {
	*model
	at     *broker
	faults []Fault
}

// whole is the code that refuses the request as such, 0 for none.
func (q *question) whole() int16 {
	for _, f := range q.faults {
		if f.Code != 0 && f.Topic == "" && f.Resource == "" {
			return f.Code
		}
	}
	return 0
}

// spoilt is the injected refusal of one partition, nil for none.
func (q *question) spoilt(tp plan.TopicPartition) *refusal {
	for _, f := range q.faults {
		if f.Code != 0 && f.Topic == tp.Topic && (len(f.Partitions) == 0 || slices.Contains(f.Partitions, tp.Partition)) {
			return &refusal{f.Code, f.Text}
		}
	}
	return nil
}

// spoiltResource is the injected refusal of a topic's or broker's settings.
func (q *question) spoiltResource(name string) *refusal {
	for _, f := range q.faults {
		if f.Code != 0 && (f.Resource != "" && f.Resource == name || f.Topic != "" && f.Topic == name) {
			return &refusal{f.Code, f.Text}
		}
	}
	return nil
}
