package plan_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/plan"
)

// trio is brokers 1 to 4 and partition t-0 on 3 and 1, of 100 bytes.
func trio(t *testing.T) plan.Cluster {
	t.Helper()
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: 1}}
	for id := range int32(4) {
		b.Broker(plan.Broker{ID: id + 1, CapacityBytes: 1000, UsableBytes: plan.Unknown})
	}
	b.Topic(plan.Topic{Name: "t"})
	b.Partition(plan.PartitionView{Leader: 3, Replicas: []int32{3, 1}, ISR: []int32{1, 3}, SizeBytes: 100})
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The sets of so many racks cannot all be tried.
func TestADrainOfFortyRacksIsPlanned(t *testing.T) {
	t.Parallel()
	var b plan.Builder
	b.Topic(plan.Topic{Name: "t"})
	for id := range int32(40) {
		b.Broker(plan.Broker{ID: id, Rack: fmt.Sprintf("rack-%02d", id), CapacityBytes: 1000, UsableBytes: plan.Unknown})
		b.Partition(plan.PartitionView{Number: id, Leader: id, Replicas: []int32{id, 39 - id}, ISR: []int32{id, 39 - id}, SizeBytes: 1})
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Compute(c, plan.Request{Brokers: []int32{7}})
	if err != nil || len(p.Moves) != 2 {
		t.Fatalf("got %v, %v, want two moves", p, err)
	}
	for _, m := range p.Moves {
		if m.To[0] == 7 || m.To[0] == 32 {
			t.Errorf("%v goes to %d, where it is", m, m.To[0])
		}
	}
}

func TestRequestsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		r    plan.Request
		want string
	}{
		{"no broker", plan.Request{}, "no broker to drain: name at least one"},
		{"a broker twice", plan.Request{Brokers: []int32{3, 1, 3}}, "named twice"},
		{"a negative broker", plan.Request{Brokers: []int32{-1}}, "broker -1: an ID is 0 or more"},
		{"negative slack", plan.Request{Brokers: []int32{3}, Slack: -0.1}, "slack -0.1: 0 or more"},
		{"the whole disk as headroom", plan.Request{Brokers: []int32{3}, DiskHeadroom: 1}, "from 0 to under 1"},
		{"a negative throttle", plan.Request{Brokers: []int32{3}, BytesPerSec: -1}, "or 0 for none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := plan.Compute(trio(t), test.r)
			var invalid *plan.InvalidRequest
			if !errors.As(err, &invalid) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestAnUnknownBrokerIsAnErrorThatNamesTheKnown(t *testing.T) {
	t.Parallel()
	_, err := plan.Compute(trio(t), plan.Request{Brokers: []int32{9}})
	var unknown *plan.UnknownBroker
	if !errors.As(err, &unknown) || unknown.ID != 9 || !slices.Equal(unknown.Known, []int32{1, 2, 3, 4}) {
		t.Errorf("got %v", err)
	}
	// Unless an earlier run of this drain knows it.
	own := []plan.Move{{TopicPartition: plan.TopicPartition{Topic: "t"}, Before: []int32{9, 1}}}
	if p, err := plan.Compute(trio(t), plan.Request{Brokers: []int32{9}, Own: own}); err != nil || p.Totals.Moves != 0 {
		t.Errorf("got %v, %v; want nothing to do", p, err)
	}
}

// inFlight is t-0 on its way from 3 to 4.
func inFlight(t *testing.T) plan.Cluster {
	t.Helper()
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: 1}}
	for id := range int32(4) {
		b.Broker(plan.Broker{ID: id + 1, CapacityBytes: 1000, UsableBytes: plan.Unknown})
	}
	b.Topic(plan.Topic{Name: "t"})
	b.Partition(plan.PartitionView{
		Leader: 1, Replicas: []int32{4, 1, 3}, Adding: []int32{4}, Removing: []int32{3}, ISR: []int32{1, 3}, SizeBytes: 100,
	})
	b.Partition(plan.PartitionView{Number: 1, Leader: 1, Replicas: []int32{1, 3}, ISR: []int32{1, 3}, SizeBytes: 10})
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOwnMovesInFlightAreAdopted(t *testing.T) {
	t.Parallel()
	own := plan.Move{
		TopicPartition: plan.TopicPartition{Topic: "t"}, Before: []int32{3, 1}, After: []int32{4, 1},
		From: []int32{3}, To: []int32{4}, Bytes: 100, Leader: 3, LeadsDuring: 1, LeadsFirst: 4,
	}
	p, err := plan.Compute(inFlight(t), plan.Request{Brokers: []int32{3}, Own: []plan.Move{own}})
	if err != nil {
		t.Fatal(err)
	}
	// What is planned beside it goes where less is under way already.
	want := "drain 3, evacuate: 2 moves, 110 B (bound by sources)\n" +
		"  t-0 [3 1] -> [4 1], 100 B, led by 1 meanwhile\n" +
		"  t-1 [1 3] -> [1 2], 10 B\n"
	if p.String() != want || p.Totals.BoundBytes != 110 {
		t.Errorf("got\n%vwant\n%s", p, want)
	}
}

func TestAMoveWithAnotherTargetIsNotOurs(t *testing.T) {
	t.Parallel()
	own := plan.Move{TopicPartition: plan.TopicPartition{Topic: "t"}, Before: []int32{3, 1}, After: []int32{2, 1}}
	p, err := plan.Compute(inFlight(t), plan.Request{Brokers: []int32{3}, Own: []plan.Move{own}})
	if err != nil {
		t.Fatal(err)
	}
	if blocked := p.Blocked(); len(blocked) != 1 || blocked[0].Risk != "foreign-move" || blocked[0].Partition != 0 {
		t.Errorf("got %v, want foreign-move of t-0", blocked)
	}
}

func TestWritesLengthenTheCopy(t *testing.T) {
	t.Parallel()
	r := plan.Request{Brokers: []int32{3}, BytesPerSec: 10}
	rate := int64(0)
	r.WriteRate = func(plan.TopicPartition) int64 { return rate }
	seconds := func() float64 {
		p, err := plan.Compute(trio(t), r)
		if err != nil {
			t.Fatal(err)
		}
		return p.Totals.Seconds
	}
	// 100 bytes at 9.3 a second and a round of 2 s. The leader sends what is written
	// to the new replica and to the one that stays: at 4 a second 1.3 are left.
	if got := seconds(); got != 100/9.3+2 {
		t.Errorf("got %v s", got)
	}
	if rate = 4; math.Abs(seconds()-(100/1.3+2)) > 1e-9 {
		t.Errorf("got %v s with writes, want %v", seconds(), 100/1.3+2)
	}
	rate = 5
	p, _ := plan.Compute(trio(t), r)
	blocked := p.Blocked()
	if !p.Totals.Never || len(blocked) != 1 || !strings.Contains(blocked[0].Message, "can never catch up") {
		t.Fatalf("got %+v, %v; want a copy that never ends", p.Totals, blocked)
	}
	// 10 a second are sent, at 0.93 of the throttle, and a fifth more.
	if want := "set a throttle of 12 B/s or more"; blocked[0].Remedy != want {
		t.Errorf("got %q, want %q", blocked[0].Remedy, want)
	}
}

func TestATimeThatIsTooLongIsRefused(t *testing.T) {
	t.Parallel()
	r := plan.Request{Brokers: []int32{3}, BytesPerSec: 10, Longest: 13 * time.Second}
	if p, _ := plan.Compute(trio(t), r); len(p.Blocked()) != 0 {
		t.Errorf("got %v, want none: 12.8 s of 13", p.Blocked())
	}
	r.Longest = 12 * time.Second
	if p, _ := plan.Compute(trio(t), r); len(p.Blocked()) != 1 || p.Blocked()[0].Risk != "throttle-too-long" {
		t.Errorf("got %v, want throttle-too-long", p.Blocked())
	}
}

func TestLoadsBeforeAndAfter(t *testing.T) {
	t.Parallel()
	c := trio(t)
	p, err := plan.Compute(c, plan.Request{Brokers: []int32{3}})
	if err != nil {
		t.Fatal(err)
	}
	none := plan.Share{}
	one := plan.Share{Bytes: 100, Replicas: 1}
	led := plan.Share{Bytes: 100, Replicas: 1, Leaders: 1}
	want := []plan.Load{
		{Broker: 1, CapacityBytes: 1000, UsedBytes: 100, Before: one, After: one, Out: 100},
		{Broker: 2, CapacityBytes: 1000, Before: none, After: led, In: 100},
		{Broker: 3, Drained: true, CapacityBytes: 1000, UsedBytes: 100, Before: led, After: none},
		{Broker: 4, CapacityBytes: 1000, Before: none, After: none},
	}
	if got := plan.Loads(c, p); !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}
