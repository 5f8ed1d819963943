package reassign_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"drain/internal/kafka"
	"drain/internal/simkafka"
	"drain/plan"
	"drain/reassign"
)

// journal is a ledger in memory that outlives the runs; die is called with the
// number of each record, owed with each debt, moved with what is complete.
type journal struct {
	book    reassign.Book
	records int
	die     func(record int)
	owed    func(reassign.Debt)
	moved   func([]plan.TopicPartition)
}

func (j *journal) add() error {
	if j.records++; j.die != nil {
		j.die(j.records)
	}
	return nil
}

func (j *journal) Owe(debts ...reassign.Debt) error {
	for _, d := range debts {
		j.book.Owe(d)
		if j.owed != nil {
			j.owed(d)
		}
	}
	return j.add()
}

func (j *journal) Paid(debts ...reassign.Debt) error {
	for _, d := range debts {
		j.book.Paid(d)
	}
	return j.add()
}

func (j *journal) Submit([]plan.TopicPartition) error { return j.add() }
func (j *journal) Moved(of []plan.TopicPartition) error {
	if j.moved != nil {
		j.moved(of)
	}
	return j.add()
}

// drill is a drain of broker 1 on a simulated cluster, over the real protocol
// and in virtual time.
type drill struct {
	*testing.T
	*simkafka.Cluster
	random  *rand.Rand
	journal journal
	plan    plan.Plan
	before  map[string]string
	report  func(reassign.Event) // nil: nobody listens
}

// drilled runs f on a cluster with settings of an operator's own.
func drilled(t *testing.T, seed uint64, f func(*drill)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 1))
		d := drillOn(t, spec(random))
		d.random = random
		f(d)
	})
}

// drillOn plans a drain of a cluster that ends with the test, within a bubble.
func drillOn(t *testing.T, s simkafka.Spec) *drill {
	t.Helper()
	c, err := simkafka.Start(s, simkafka.On(new(kfake.VirtualNetwork)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	d := &drill{T: t, Cluster: c}
	d.compute()
	d.before = d.settings()
	return d
}

// spec is five brokers with topics of factor one and three, some of whose
// settings are there before.
func spec(random *rand.Rand) simkafka.Spec {
	s := simkafka.Spec{Defaults: map[string]string{"min.insync.replicas": "2"}}
	maybe := func(configs map[string]string, key string, values ...string) {
		if v := values[random.IntN(len(values))]; v != "none" {
			configs[key] = v
		}
	}
	for id := range int32(5) {
		b := simkafka.Broker{ID: id + 1, Rack: string('a' + id%3), Configs: map[string]string{}}
		maybe(b.Configs, reassign.LeaderRate, "none", "none", "600000", "90000000")
		maybe(b.Configs, reassign.FollowerRate, "none", "none", "600000", "90000000")
		s.Brokers = append(s.Brokers, b)
	}
	for name, factor := range map[string]int{"log": 1, "pay": 3, "web": 2} {
		topic := simkafka.Topic{Name: name, Configs: map[string]string{}}
		maybe(topic.Configs, reassign.LeaderList, "none", "none", "", "*", "0:1,9:9")
		maybe(topic.Configs, reassign.FollowerList, "none", "none", "", "*", "9:9")
		for n := range int32(8) {
			p := simkafka.Partition{Number: n, Bytes: int64(random.IntN(3_000_000))}
			for k := range int32(factor) {
				p.Replicas = append(p.Replicas, (n+k)%5+1)
			}
			topic.Partitions = append(topic.Partitions, p)
		}
		s.Topics = append(s.Topics, topic)
	}
	return s
}

func (d *drill) dial() *kafka.Client {
	d.Helper()
	c, err := kafka.Dial(d.Context(), kafka.Options{Bootstrap: d.Bootstrap(), Dialer: d.Dial})
	if err != nil {
		d.Fatal(err)
	}
	return c
}

// compute plans the drain from what the cluster is known to be.
func (d *drill) compute() {
	d.Helper()
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: 2}}
	s := d.State()
	for _, broker := range s.Brokers {
		b.Broker(plan.Broker{ID: broker.ID, Rack: broker.Rack, CapacityBytes: 1 << 40, UsableBytes: 1 << 39})
	}
	for _, t := range s.Topics {
		b.Topic(plan.Topic{Name: t.Name, ID: t.ID, Configs: t.Configs})
		for _, p := range t.Partitions {
			b.Partition(plan.PartitionView{Number: p.Number, Leader: *p.Leader, Replicas: p.Replicas, ISR: p.Replicas, SizeBytes: p.Bytes})
		}
	}
	c, err := b.Cluster()
	if err != nil {
		d.Fatal(err)
	}
	d.plan, err = plan.Compute(c, plan.Request{Brokers: []int32{1}, BytesPerSec: 1e6})
	if err != nil || len(d.plan.Moves) < 8 {
		d.Fatalf("a plan of %d moves: %v, %v", len(d.plan.Moves), d.plan.Blocked(), err)
	}
}

// drive is one process: it dials, acts, and is gone.
func (d *drill) drive(act func(*reassign.Driver) error) (err error, died bool) {
	d.Helper()
	client := d.dial()
	died = true
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer client.Close()
		o := reassign.Options{BytesPerSec: 1e6, StallAfter: time.Minute, Own: d.plan.Moves}
		err = act(reassign.New(client.Ports(), &d.journal, d.journal.book.Open(), o, d.report))
		died = false
	}()
	<-done
	return err, died
}

// settings is every dynamic setting of brokers and topics.
func (d *drill) settings() map[string]string {
	s := d.State()
	all := maps.Clone(s.Defaults)
	for _, b := range s.Brokers {
		for k, v := range b.Configs {
			all[fmt.Sprint("broker ", b.ID, " ", k)] = v
		}
	}
	for _, t := range s.Topics {
		for k, v := range t.Configs {
			all["topic "+t.Name+" "+k] = v
		}
	}
	return all
}

// ends is how a run may end, other than well: each arms what will happen after
// a while and returns the context of the run.
var ends = []struct {
	name string
	arm  func(*drill, time.Duration) (context.Context, context.CancelFunc)
}{
	{"killed", func(d *drill, _ time.Duration) (context.Context, context.CancelFunc) {
		at := 1 + d.random.IntN(60)
		d.journal.die = func(record int) {
			if record == at {
				runtime.Goexit()
			}
		}
		return context.WithCancel(d.Context())
	}},
	{"interrupted", func(d *drill, after time.Duration) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(d.Context())
		time.AfterFunc(after, cancel)
		return ctx, cancel
	}},
	{"past its deadline", func(d *drill, after time.Duration) (context.Context, context.CancelFunc) {
		return context.WithTimeout(d.Context(), after)
	}},
	{"short of a destination", func(d *drill, after time.Duration) (context.Context, context.CancelFunc) {
		m := d.plan.Moves[d.random.IntN(len(d.plan.Moves))]
		time.AfterFunc(after, func() { d.Crash(m.To[0]) })
		return context.WithCancel(d.Context())
	}},
	{"short of a topic", func(d *drill, after time.Duration) (context.Context, context.CancelFunc) {
		time.AfterFunc(after, func() {
			if err := d.DeleteTopic("web"); err != nil {
				d.Error(err)
			}
		})
		return context.WithCancel(d.Context())
	}},
}

// remedies are what a person may do afterwards.
var remedies = []struct {
	name string
	do   func(*reassign.Driver, context.Context, plan.Plan) error
}{
	{"resume", func(d *reassign.Driver, ctx context.Context, p plan.Plan) error { return d.Move(ctx, p) }},
	{"cancel", func(d *reassign.Driver, ctx context.Context, _ plan.Plan) error { return d.Cancel(ctx) }},
	{"wait", func(d *reassign.Driver, ctx context.Context, _ plan.Plan) error { return d.Wait(ctx) }},
}

// A hundred drains that end badly at random points, each followed by one of the
// remedies: not one setting differs from before.
func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		end, remedy := ends[seed%5], remedies[seed/5%3]
		t.Run(fmt.Sprintf("%d %s, then %s", seed, end.name, remedy.name), func(t *testing.T) {
			t.Parallel()
			drilled(t, seed, func(d *drill) {
				ctx, cancel := end.arm(d, time.Duration(d.random.IntN(12_000))*time.Millisecond)
				defer cancel()
				err, died := d.drive(func(driver *reassign.Driver) error { return driver.Move(ctx, d.plan) })
				d.Logf("died %v: %v", died, err)
				if end.name == "short of a topic" && err != nil {
					d.Error("a topic that is gone stopped the others")
				}
				d.journal.die = nil
				for _, b := range d.State().Brokers {
					if !d.Running(b.ID) {
						d.StartBroker(b.ID)
					}
				}
				time.Sleep(time.Duration(2+d.random.IntN(5)) * time.Second) // a broker that was started is back by then
				if err, _ := d.drive(func(driver *reassign.Driver) error { return remedy.do(driver, d.Context(), d.plan) }); err != nil {
					d.Errorf("the remedy: %v", err)
				}
				d.wantClean()
			})
		})
	}
}

func (d *drill) wantClean() {
	d.Helper()
	after := d.settings()
	topics := d.State().Topics
	if !slices.ContainsFunc(topics, func(t simkafka.Topic) bool { return t.Name == "web" }) {
		maps.DeleteFunc(d.before, func(k, _ string) bool { return len(k) > 9 && k[:9] == "topic web" })
	}
	if !maps.Equal(after, d.before) {
		d.Errorf("settings are\n%v, were\n%v", after, d.before)
	}
	if open := d.journal.book.Open(); len(open) > 0 {
		d.Errorf("still owed: %v", open)
	}
	for _, t := range topics {
		for _, p := range t.Partitions {
			if len(p.Adding)+len(p.Removing) > 0 {
				d.Errorf("%s-%d is still in flight", t.Name, p.Number)
			}
		}
	}
}
