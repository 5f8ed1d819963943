package executor

import (
	"slices"

	"drain/runbooks"
)

// stopped are the brokers whose stop has ended well, in the order of the stops.
func (h *history) stopped() []int32 {
	var stops []*progress
	for _, p := range h.slots {
		if p.kind == runbooks.Stop && p.ended > 0 {
			stops = append(stops, p)
		}
	}
	slices.SortFunc(stops, func(a, b *progress) int { return a.ended - b.ended })
	ids := make([]int32, len(stops))
	for i, p := range stops {
		ids[i] = p.broker
	}
	return ids
}

// stopsBegun are the brokers whose stop may have taken them down.
func (h *history) stopsBegun() []int32 {
	return union(h.stopped(), h.stopsThat(func(p *progress) bool { return p.acted > 0 && !p.over() }))
}

// stopsFailed are the brokers whose stop is over and has failed.
func (h *history) stopsFailed() []int32 {
	return h.stopsThat(func(p *progress) bool { return p.ended == 0 && p.over() })
}

// stopsLost are those of them that have left all the same, as the journal knows.
func (h *history) stopsLost() []int32 {
	return h.stopsThat(func(p *progress) bool { return p.ended == 0 && p.over() && p.gone > p.acted })
}

// stopsThat are the brokers of the stops of a kind, sorted.
func (h *history) stopsThat(are func(*progress) bool) []int32 {
	var ids []int32
	for _, p := range h.slots {
		if p.kind == runbooks.Stop && are(p) {
			ids = append(ids, p.broker)
		}
	}
	return union(ids, nil)
}

// over says of a command that it was seen to end, and that its step has failed.
func (p progress) over() bool { return p.exit != nil && p.failed > p.acted }
