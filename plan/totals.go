package plan

import (
	"math"
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
	// window is how many moves into one broker are in flight at most.
	window = 64
)

// bounds are the lower bounds of the moves, by name. The latency is none of a
// port: it is in no budget.
func (d *drain) bounds() []Bound {
	list := []Bound{
		{Name: BoundDestinations, Bytes: d.destinations()},
		{Name: BoundFewItems, Bytes: d.fewItems()},
		{Name: BoundPartition, Bytes: d.largest()},
		{Name: BoundSources, Bytes: d.sources()},
	}
	for i := range list {
		if d.r.BytesPerSec > 0 {
			list[i].Seconds = list[i].Bytes / float64(d.r.BytesPerSec)
		}
	}
	if d.r.BytesPerSec > 0 {
		list = append(list, Bound{Name: BoundLatency, Seconds: d.latency()})
	}
	return list
}

// latency is the time of the rounds before the last one, if replicas are spread
// evenly: a window of moves into a broker has to end before the next one can.
func (d *drain) latency() float64 {
	rounds := 0.0
	brokers := 0
	for r := range d.racks {
		brokers += len(d.racks[r].eligible)
	}
	if brokers > 0 {
		each := (len(d.slots) + brokers - 1) / brokers
		rounds = float64(max(0, each-1) / window)
	}
	return rounds * settle.Seconds()
}

// longest is the bound that binds, in bytes at the throttle.
func longest(bounds []Bound) float64 {
	most := 0.0
	for _, b := range bounds {
		most = max(most, b.Bytes)
	}
	return most
}

func (d *drain) totals(moves []Move, bounds []Bound) Totals {
	t := Totals{Moves: len(moves)}
	for i := range moves {
		t.Bytes += moves[i].Bytes
	}
	for i := range d.slots {
		t.BoundBytes += d.slots[i].size
	}
	for _, b := range bounds {
		if t.Moves > 0 && (t.Binding == "" || b.Seconds > t.BoundSeconds || d.r.BytesPerSec == 0 && b.Bytes == longest(bounds) && t.Binding == "") {
			t.Binding, t.BoundSeconds = b.Name, b.Seconds
		}
	}
	if d.r.BytesPerSec > 0 && t.Moves > 0 {
		t.Seconds = d.seconds()
	}
	t.Time, t.BoundTime = duration(t.Seconds), duration(t.BoundSeconds)
	return t
}

// seconds is the time expected: of the busiest port at the rate that copying
// reaches, and of the rounds of moves.
func (d *drain) seconds() float64 {
	busiest, rounds := 0.0, 0
	for i := range d.nodes {
		n := &d.nodes[i]
		busiest = max(busiest, n.load(0), n.sent(0))
		rounds = max(rounds, (int(n.coming)+window-1)/window)
	}
	return busiest/(achieved*float64(d.r.BytesPerSec)) + float64(rounds)*settle.Seconds()
}

func duration(seconds float64) time.Duration {
	if seconds >= math.MaxInt64/1e9 {
		return math.MaxInt64
	}
	return time.Duration(seconds * 1e9)
}
