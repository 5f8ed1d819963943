package executor

import "drain/plan"

// movedOf is what of a plan is written down as moved: a topic may have been
// deleted meanwhile.
func (h *history) movedOf(p plan.Plan) plan.Plan {
	did := plan.Plan{Left: p.Left}
	for _, m := range p.Moves {
		if h.moved[Partition(m.TopicPartition)] {
			did.Totals.Moves++
			did.Totals.Bytes += m.Bytes
		}
	}
	return did
}

// summary is a plan in one line.
func summary(p plan.Plan) string {
	s := plan.Count(p.Totals.Moves, "move", "moves") + ", " + plan.FormatBytes(p.Totals.Bytes)
	if n := len(p.Left); n > 0 {
		s += ", " + plan.Count(n, "replica stays", "replicas stay")
	}
	return s
}
