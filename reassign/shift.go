package reassign

import (
	"slices"

	"drain/plan"
)

// mostTries is how often an election or an order is asked for before the move
// goes on without it: a leader in the wrong place costs balance, not safety.
const mostTries = 5

// shift is a change of order and leader that moves no data.
type shift struct {
	*track
	order  []int32 // nil: as it is
	leader int32   // to be elected, or plan.NoLeader
}

// shift returns the change that the move needs now, and whether it needs one.
// Before copying, leadership goes to LeadsDuring, unless it goes along with the
// move; one that has not come by then is asked for while Kafka copies.
// Afterwards the final order is set and LeadsFirst elected, if leadership was
// changed for the move's sake.
func (t *track) shift() (shift, bool) {
	if t.foreign || t.queued() || t.tries >= mostTries {
		return shift{}, false
	}
	order, leader := t.state.Replicas, plan.NoLeader
	switch {
	case t.stage == waiting && !t.along && t.leads(t.LeadsDuring):
		order, leader = first(order, t.LeadsDuring), t.LeadsDuring
	case t.stage == moving && t.leads(t.LeadsDuring) && order[0] == t.LeadsDuring && !t.joined():
		leader = t.LeadsDuring
	case t.stage == arrived:
		order = t.After
		if t.touched() && t.leads(t.LeadsFirst) {
			leader = t.LeadsFirst
		}
	}
	s := shift{t, order, leader}
	if slices.Equal(order, t.state.Replicas) {
		s.order = nil
	}
	return s, s.order != nil || leader != plan.NoLeader
}

// Unsettled says of a move whose replicas have all arrived that their order is
// not the planned one yet, or that another broker leads than should. A Driver that
// is given the move sees to it.
func Unsettled(m plan.Move, s PartitionState) bool {
	t := newTrack(m)
	t.stage, t.state = arrived, s
	_, needed := t.shift()
	return needed
}

// leads says that the broker should lead, does not, and can: it stays, and is
// in sync.
func (t *track) leads(broker int32) bool {
	return broker != plan.NoLeader && broker != t.state.Leader &&
		slices.Contains(t.After, broker) && slices.Contains(t.state.Replicas, broker) && slices.Contains(t.state.ISR, broker)
}

// touched says that the move itself changes who leads.
func (t *track) touched() bool {
	return t.LeadsDuring != plan.NoLeader || slices.Contains(t.From, t.Leader)
}

// first returns the list with one member put first.
func first(list []int32, member int32) []int32 {
	out := []int32{member}
	for _, b := range list {
		if b != member {
			out = append(out, b)
		}
	}
	return out
}

// shifts picks the changes to ask for now, with no more new leaders than may
// be. While the run is paused nothing begins, but what is in flight goes on.
func (r *run) shifts(may *leaders) []*track {
	var next []*track
	for _, t := range r.tracks {
		_, needed := t.shift()
		if t.asked && !needed {
			t.asked, r.quiet = false, 0
		}
		if needed && !t.stage.over() && (len(r.paused) == 0 || t.stage >= moving) {
			next = append(next, t)
		}
	}
	// Those asked before come first, so that a batch is over before the next.
	slices.SortStableFunc(next, func(a, b *track) int { return rank(a) - rank(b) })
	return slices.DeleteFunc(next, func(t *track) bool {
		s, _ := t.shift()
		return s.leader != plan.NoLeader && !may.take(t)
	})
}

func rank(t *track) int {
	if t.asked {
		return 0
	}
	return 1
}
