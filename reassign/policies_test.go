package reassign

import (
	"fmt"
	"testing"

	"drain/plan"
	"drain/plan/plantest"
)

// lanesPolicy is the policy of this package.
func lanesPolicy(rate int64) policy {
	l := limits(rate)
	return func(waiting, flying []Load, idle func(Lane) bool) []int {
		l.Idle = idle
		return Admit(waiting, flying, l)
	}
}

// atOnce starts everything, as kafka-reassign-partitions does.
func atOnce(waiting, _ []Load, _ func(Lane) bool) []int { return upTo(len(waiting)) }

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// batches starts n when none is in flight: a barrier after each.
func batches(n int) policy {
	return func(waiting, flying []Load, _ func(Lane) bool) []int {
		if len(flying) > 0 {
			return nil
		}
		return upTo(min(n, len(waiting)))
	}
}

// globalWindow keeps n in flight, in topic order (KIP-1335).
func globalWindow(n int) policy {
	return func(waiting, flying []Load, _ func(Lane) bool) []int {
		return upTo(max(0, min(n-len(flying), len(waiting))))
	}
}

// perBroker keeps n in flight at each broker, in topic order (Cruise Control).
func perBroker(n int) policy {
	return func(waiting, flying []Load, _ func(Lane) bool) []int {
		users := map[int32]int{}
		take := func(l Load) {
			users[l.Source]++
			for _, d := range l.Dests {
				users[d]++
			}
		}
		for _, l := range flying {
			take(l)
		}
		var picked []int
		for i, l := range waiting {
			full := users[l.Source] >= n
			for _, d := range l.Dests {
				full = full || users[d] >= n
			}
			if !full {
				take(l)
				picked = append(picked, i)
			}
		}
		return picked
	}
}

// drain is a drain to be simulated: a shape of plantest, planned without slack.
type drain struct {
	shape   string
	brokers []int32
}

// The drains that the bars name.
var drains = []drain{
	{"M", []int32{1}}, {"B", []int32{1}}, {"L", []int32{1}}, {"T", []int32{1}}, {"B", []int32{1, 2, 3, 4, 5}},
}

func (d drain) String() string { return fmt.Sprintf("%s without %d brokers", d.shape, len(d.brokers)) }

// loads are the moves of the plan in topic order, and bound the least seconds
// that any plan takes.
func (d drain) loads(t testing.TB, rate int64) (loads []Load, bound float64) {
	t.Helper()
	s, ok := plantest.Named(d.shape)
	if !ok {
		t.Fatalf("no shape %s", d.shape)
	}
	p, err := plan.Compute(s.Cluster(1), plan.Request{Brokers: d.brokers, BytesPerSec: rate})
	if err != nil || len(p.Blocked()) > 0 {
		t.Fatalf("%v: %v, %v", d, err, p.Blocked())
	}
	for _, m := range p.Moves {
		l := Load{Source: m.LeadsDuring, Dests: m.To, Left: m.Bytes / int64(len(m.To))}
		if l.Source == plan.NoLeader {
			l.Source = m.Leader
		}
		loads = append(loads, l)
	}
	return loads, p.Totals.BoundTime.Seconds()
}

// rng is SplitMix64: the same in every release of Go.
type rng uint64

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *rng) float() float64 { return float64(r.next()>>11) / (1 << 53) }

func (r *rng) n(n int32) int32 { return int32(r.next() % uint64(n)) }
