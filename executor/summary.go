package executor

import (
	"slices"

	"drain/plan"
)

// movedOf is what of a plan is written down as moved: a topic may have been
// deleted meanwhile.
func (h *history) movedOf(p plan.Plan) plan.Plan {
	return some(p, func(m plan.Move) bool { return h.moved[Partition(m.TopicPartition)] })
}

// some is what a plan moves and leaves, with a part of its moves.
func some(p plan.Plan, part func(plan.Move) bool) plan.Plan {
	moves := slices.DeleteFunc(slices.Clone(p.Moves), func(m plan.Move) bool { return !part(m) })
	return plan.Plan{Brokers: p.Brokers, Moves: moves, Totals: totalsOf(moves), Left: p.Left}
}

// totalsOf counts moves. How long they take only the planner can say.
func totalsOf(moves []plan.Move) plan.Totals {
	t := plan.Totals{Moves: len(moves)}
	for _, m := range moves {
		t.Bytes += m.Bytes
	}
	return t
}

// summary is a plan in one line.
func summary(p plan.Plan) string {
	s := plan.Count(p.Totals.Moves, "move", "moves") + ", " + plan.FormatBytes(p.Totals.Bytes)
	if n := len(p.Left); n > 0 {
		s += ", " + plan.Count(n, "replica stays", "replicas stay")
	}
	return s
}
