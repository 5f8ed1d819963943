package executor

import (
	"context"
	"errors"
	"slices"

	"drain/plan"
	"drain/reassign"
)

// halfway are the moves that an earlier process has begun to make room for, with
// those that make it and whatever else is in flight; none if there are no such.
// They are carried out as they were planned: a new plan would not see the room
// that is still to be freed, and would move yet another replica away.
func (h *history) halfway() []plan.Move {
	var begun []plan.Move
	for p, m := range h.moves {
		if m.Wave == 0 || h.moved[p] || h.left[p] {
			continue
		}
		if makers := h.makersOf(m); len(makers) > 0 {
			begun = append(append(begun, m), makers...)
		}
	}
	if begun == nil {
		return nil
	}
	begun = append(begun, h.own()...)
	slices.SortFunc(begun, func(a, b plan.Move) int { return a.Compare(b.TopicPartition) })
	return slices.CompactFunc(begun, func(a, b plan.Move) bool { return a.TopicPartition == b.TopicPartition })
}

// makersOf are the moves that were asked for and make room for this one.
func (h *history) makersOf(m plan.Move) []plan.Move {
	var makers []plan.Move
	for p, o := range h.moves {
		if h.asked[p] && o.Wave < m.Wave && slices.ContainsFunc(o.From, func(id int32) bool { return slices.Contains(m.To, id) }) {
			makers = append(makers, o)
		}
	}
	return makers
}

// onlyStalled says that nothing could start, and nothing is in flight.
func onlyStalled(err error) bool {
	_, stalled := errors.AsType[*reassign.StallError](err)
	_, flying := errors.AsType[*reassign.InFlightError](err)
	return stalled && !flying
}

// moveAnew is for room that has not come: what is left is planned as it stands.
func (s *moveStep) moveAnew(ctx context.Context, why error) error {
	s.say(EventWarn, "%v: it is planned anew", why)
	s.cramped = true
	if err := s.replan(ctx); err != nil {
		return err
	}
	return s.move(ctx)
}
