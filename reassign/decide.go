package reassign

import (
	"slices"

	"drain/plan"
)

// turn is what to do after a look.
type turn struct {
	start  []*track // moves to request
	shifts []*track // whose order or leader is to change
	done   []*track // moves that became complete
	wish   wish     // the settings that cover what is in flight and what starts
}

// decide picks what to do now. It asks nobody, and changes nothing beside what
// this run keeps for itself: marks of its tracks, rations, and room on disks.
func (r *run) decide() turn {
	var t turn
	r.stretches(r.rates)
	for _, a := range r.in(func(t *track) bool { return t.stage == arrived }) {
		if _, needed := a.shift(); !needed && !a.foreign {
			a.stage = complete
			t.done = append(t.done, a)
		}
	}
	if !r.waitOnly {
		may := r.leaders()
		t.shifts = r.shifts(&may)
		if len(r.paused) == 0 {
			t.start = r.admit(&may)
		}
	}
	t.wish = r.wish(t.start)
	return t
}

// admit picks the moves to start, with no more new leaders than may be. Those
// of internal topics are few and alike, so they are counted beforehand; of the
// others the most urgent ones count.
func (r *run) admit(may *leaders) []*track {
	ready := r.in(func(t *track) bool {
		return r.ready(t) && !(t.internal && t.hands() && !may.take(t))
	})
	flying := r.moving()
	l := Limits{
		Rate: r.rates, Idle: r.idle, Min: minInFlight, Max: r.opts.MaxInFlightPerBroker,
		Cluster: r.opts.MaxInFlight, Window: window, Few: flightsInternal,
	}
	var start []*track
	for _, i := range Admit(loads(ready), loads(flying), l) {
		start = append(start, ready[i])
	}
	start = slices.DeleteFunc(start, func(t *track) bool { return !t.internal && t.hands() && !may.take(t) })
	return r.roomy(r.fitting(start, flying))
}

// ready says that a move may start: its partition is as planned, has a leader
// to copy from that leads where it should, and its destinations are there and
// have room.
func (r *run) ready(t *track) bool {
	if t.stage != waiting || t.foreign || t.odd > 0 || t.queued() || t.state.Leader == plan.NoLeader {
		return false
	}
	if _, needed := t.shift(); needed || t.asked || t.cramped != "" || r.awaited(t) != nil {
		return false
	}
	return !slices.ContainsFunc(t.To, func(b int32) bool { return !r.view.isLive(b) })
}

// loads are tracks as the scheduler sees them. One in its last stretch takes no
// turn of the quota: the next move may start beside it.
func loads(tracks []*track) []Load {
	all := make([]Load, len(tracks))
	for i, t := range tracks {
		all[i] = Load{Source: t.source(), Dests: t.To, Left: max(0, t.left), Last: t.weak(), Few: t.internal}
		if !t.since.IsZero() {
			all[i].Left = 0
		}
	}
	return all
}

// idle says which lanes run under nine tenths of their throttle. A lane whose
// window is full and which is idle all the same is held back by its moves'
// other lanes.
func (r *run) idle(at Lane) bool {
	rate, known := r.meter.rate(at)
	return known && float64(rate) < 0.9*float64(r.rates(at))
}

// wish is the settings that the moves in flight and those that start need.
func (r *run) wish(start []*track) wish {
	w := wish{keep: r.keeps()}
	flying := slices.Concat(r.moving(), start)
	if r.rate > 0 {
		w.rate, w.soft, w.anew, w.why = r.ours, r.soft, r.anew(start), r.why
	}
	factors := r.factors()
	for _, t := range flying {
		c := t.cover()
		c.listed, c.factor = !t.joined() && t.since.IsZero(), factors[t.Topic]
		w.covers = append(w.covers, c)
	}
	return w
}

// cover is what the move needs at the least: the rates of its brokers.
func (t *track) cover() cover {
	return cover{TopicPartition: t.TopicPartition, from: without(t.state.Replicas, t.To), to: t.To}
}

// factors is the replication factor of each topic, or 0 where the moves have
// several: lowering the minimum would then weaken the larger ones.
func (r *run) factors() map[string]int {
	factors := map[string]int{}
	for _, t := range r.tracks {
		if f, ok := factors[t.Topic]; ok && f != len(t.Before) {
			factors[t.Topic] = 0
		} else {
			factors[t.Topic] = len(t.Before)
		}
	}
	return factors
}

// keeps says which settings moves that still wait will need again.
func (r *run) keeps() func(setting) bool {
	soon := map[setting]bool{}
	for _, t := range r.in(func(t *track) bool { return t.stage == waiting && !r.waitOnly }) {
		soon[setting{OfTopic(t.Topic), MinISR}] = true
		if r.rate == 0 {
			continue
		}
		for _, s := range (cover{from: t.Before, to: t.To}).rates() {
			soon[s] = true
		}
	}
	return func(s setting) bool { return soon[s] }
}
