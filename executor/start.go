package executor

import (
	"slices"

	"drain/plan"
	"drain/reassign"
)

// start is the cluster before the run, as the journal holds it: a process that
// goes on after a crash judges by the same as the one before it. It is nil where
// no record tells. Brokers that the run itself has stopped are not missed.
func (h *history) start() *reassign.Start {
	if h.baseAt == 0 {
		return nil
	}
	s := &reassign.Start{Live: without(h.baseline.live, h.stopped())}
	for p, was := range h.baseline.sick {
		if was.Leaderless {
			s.Leaderless = append(s.Leaderless, plan.TopicPartition(p))
		}
		if was.UnderMin {
			s.UnderMin = append(s.UnderMin, plan.TopicPartition(p))
		}
	}
	slices.SortFunc(s.Leaderless, plan.TopicPartition.Compare)
	slices.SortFunc(s.UnderMin, plan.TopicPartition.Compare)
	return s
}
