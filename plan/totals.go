package plan

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// What a drain takes beside copying.
const (
	// achieved is the part of a throttle that copying reaches: the quota is
	// checked before a fetch and charged afterwards, over eleven samples of a
	// second (ReplicationQuotaManager).
	achieved = 0.93
	// settle is the time from the last byte of a move until the tool has seen
	// that it is complete: ISR change, controller, poll.
	settle = 2 * time.Second
)

// bounds are the lower bounds of the moves, by name. The latency is none of a
// port: it is in no budget.
func (d *drain) bounds() []Bound {
	list := []Bound{
		d.bound(BoundDestinations, d.destinations()),
		d.bound(BoundFewItems, d.fewItems()),
		d.bound(BoundPartition, d.largest()),
		d.bound(BoundSources, d.sources()),
	}
	if d.r.BytesPerSec > 0 {
		list = append(list, Bound{Name: BoundLatency, Seconds: d.latency()})
	}
	return list
}

func (d *drain) bound(name string, bytes float64) Bound {
	b := Bound{Name: name, Bytes: bytes}
	if d.r.BytesPerSec > 0 {
		b.Seconds = bytes / float64(d.r.BytesPerSec)
	}
	return b
}

// latency is the time of the rounds before the last one, if replicas are spread
// evenly: as many moves as may be in flight have to end before the next ones can.
func (d *drain) latency() float64 {
	brokers := 0
	for r := range d.racks {
		brokers += len(d.racks[r].eligible)
	}
	rounds := ceil(len(d.tasks), d.r.inCluster())
	if brokers > 0 {
		rounds = max(rounds, ceil(ceil(len(d.slots), brokers), d.r.perBroker()))
	}
	return float64(max(0, rounds-1)) * settle.Seconds()
}

func ceil(n, by int) int { return (n + by - 1) / by }

// longest is the bound that binds, in bytes at the throttle.
func longest(bounds []Bound) float64 {
	most := 0.0
	for _, b := range bounds {
		most = max(most, b.Bytes)
	}
	return most
}

func (d *drain) totals(moves []Move, bounds []Bound) Totals {
	t := Totals{Moves: len(moves), AtMinISR: d.atMinISR()}
	for i := range moves {
		t.Bytes += moves[i].Bytes
		if moves[i].Helper {
			t.HelperMoves++
			t.HelperBytes += moves[i].Bytes
		}
	}
	for i := range d.slots {
		t.BoundBytes += d.slots[i].size
	}
	for _, i := range d.fates[adopted] {
		t.BoundBytes += d.own[d.c.Name(int(i))].Bytes
	}
	if t.Moves == 0 {
		return t
	}
	binding := slices.MaxFunc(bounds, func(a, b Bound) int {
		return cmp.Or(cmp.Compare(a.Seconds, b.Seconds), cmp.Compare(a.Bytes, b.Bytes))
	})
	t.Binding, t.BoundSeconds = binding.Name, binding.Seconds
	if d.r.BytesPerSec > 0 {
		t.Seconds, t.Never = d.seconds()
	}
	t.Time, t.BoundTime = duration(t.Seconds), duration(t.BoundSeconds)
	return t
}

// seconds is the time expected: of the busiest port at the rate that copying
// reaches, and of the rounds of moves. What producers write meanwhile is copied
// too, so that a move of size s to which q is written takes s/(rate-q); it never
// ends if q is the larger.
func (d *drain) seconds() (seconds float64, never bool) {
	rate := achieved * float64(d.r.BytesPerSec)
	in, out := make([]float64, len(d.nodes)), make([]float64, len(d.nodes))
	for i := range d.nodes {
		in[i], out[i] = d.nodes[i].load(0)/rate, d.nodes[i].sent(0)/rate
	}
	if d.r.WriteRate != nil {
		never = d.addWrites(in, out, rate)
	}
	rounds := ceil(d.going(), d.r.inCluster())
	for i := range d.nodes {
		rounds = max(rounds, ceil(int(d.nodes[i].coming), d.r.perBroker()))
	}
	return max(slices.Max(in), slices.Max(out)) + float64(rounds)*settle.Seconds(), never
}

// going is how many partitions move.
func (d *drain) going() int {
	n := 0
	for i := range d.tasks {
		if !d.tasks[i].dropped {
			n++
		}
	}
	return n
}

// addWrites adds the time for what is written while each partition copies, and
// notes the least throttle at which every copy catches up. What the leader sends
// to followers in sync counts against its throttle too (KafkaApis.sizeOfThrottledPartitions).
func (d *drain) addWrites(in, out []float64, rate float64) (never bool) {
	for i := range d.tasks {
		t := &d.tasks[i]
		if t.dropped {
			continue
		}
		q := float64(d.r.WriteRate(d.c.Name(int(t.partition))))
		extra := func(share, copies, written float64) float64 {
			d.least = max(d.least, written/(achieved*share))
			r := rate * share
			if never = never || written >= r; never {
				return 0
			}
			return float64(t.size) * copies * (1/(r-written) - 1/r)
		}
		for _, s := range d.slotsOf(t) {
			in[s.to] += extra(d.nodes[s.to].receives, 1, q)
		}
		out[t.reader] += extra(d.nodes[t.reader].sends, float64(t.count), q*float64(t.count+t.replicas-1))
	}
	return never
}

func duration(seconds float64) time.Duration {
	if seconds >= math.MaxInt64/1e9 {
		return math.MaxInt64
	}
	return time.Duration(seconds * 1e9)
}
