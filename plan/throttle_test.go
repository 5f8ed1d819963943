package plan_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"drain/plan"
)

// slowed has nine partitions of 10 bytes to move from broker 3 to brokers 1 and 2,
// and brokers 4 to 6 to read them from, three each.
func slowed(t *testing.T, throttles map[int32]plan.Throttle, all plan.Throttle) plan.Cluster {
	t.Helper()
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: 1, Throttle: all}}
	for id := range int32(6) {
		b.Broker(plan.Broker{ID: id + 1, CapacityBytes: 1000, UsableBytes: plan.Unknown, Throttle: throttles[id+1]})
	}
	b.Topic(plan.Topic{Name: "t"})
	for n := range int32(9) {
		list := []int32{3, 4 + n%3}
		b.Partition(plan.PartitionView{Number: n, Leader: 3, Replicas: list, ISR: list, SizeBytes: 10})
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A lower throttle of somebody else stays where it is: what passes there takes as
// long as that allows, and so little is sent there as can be.
func TestALowerThrottleThatStandsIsPlannedWith(t *testing.T) {
	t.Parallel()
	const settle = 2
	for _, k := range []struct {
		name      string
		throttles map[int32]plan.Throttle
		all       plan.Throttle
		accept    []string
		to1       int     // replicas to broker 1, of nine
		bound     float64 // seconds
		seconds   float64 // of copying, at the throttle itself
		slow      string  // what the findings are about
	}{
		{name: "none", to1: 4, bound: 2.5, seconds: 2.5, slow: "[]"},
		{name: "half into one", throttles: map[int32]plan.Throttle{1: {Follower: 10}}, to1: 3, bound: 3, seconds: 3, slow: "[1 follower.replication.throttled.rate]"},
		{name: "half out of it, which sends nothing", throttles: map[int32]plan.Throttle{1: {Leader: 10}}, to1: 4, bound: 2.5, seconds: 2.5, slow: "[]"},
		{name: "a higher one", throttles: map[int32]plan.Throttle{1: {Follower: 40}}, to1: 4, bound: 2.5, seconds: 2.5, slow: "[]"},
		{name: "a quarter out of a leader", throttles: map[int32]plan.Throttle{4: {Leader: 5}}, to1: 4, bound: 6, seconds: 6, slow: "[4 leader.replication.throttled.rate]"},
		{name: "half into all", all: plan.Throttle{Follower: 10}, to1: 4, bound: 5, seconds: 5, slow: "[1 follower.replication.throttled.rate 2 follower.replication.throttled.rate]"},
		{name: "accepted", throttles: map[int32]plan.Throttle{1: {Follower: 10}}, accept: []string{"foreign-throttle"}, to1: 4, bound: 2.5, seconds: 2.5, slow: "[]"},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			p, err := plan.Compute(slowed(t, k.throttles, k.all), plan.Request{
				Brokers: []int32{3}, Destinations: []int32{1, 2}, BytesPerSec: 20, AcceptRisks: k.accept,
			})
			if err != nil {
				t.Fatal(err)
			}
			to1, slow := 0, []string{}
			for _, m := range p.Moves {
				if slices.Equal(m.To, []int32{1}) {
					to1++
				}
			}
			for _, f := range p.Findings {
				if f.Risk == "foreign-throttle" {
					slow = append(slow, fmt.Sprint(f.Broker, " ", f.Key))
				}
			}
			if want := k.seconds/0.93 + settle; len(p.Moves) != 9 || min(to1, 9-to1) != k.to1 || math.Abs(p.Totals.Seconds-want) > 1e-9 || p.Totals.BoundSeconds != k.bound {
				t.Errorf("%d of %d go to broker 1 in %v s, of at least %v; want %d of 9 in %v, %v", to1, len(p.Moves), p.Totals.Seconds, p.Totals.BoundSeconds, k.to1, want, k.bound)
			}
			if fmt.Sprint(slow) != k.slow {
				t.Errorf("findings about %v, want %v", slow, k.slow)
			}
		})
	}
}
