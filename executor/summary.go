package executor

import "drain/plan"

// summary is a plan in one line.
func summary(p plan.Plan) string {
	s := plan.Count(p.Totals.Moves, "move", "moves") + ", " + plan.FormatBytes(p.Totals.Bytes)
	if n := len(p.Left); n > 0 {
		s += ", " + plan.Count(n, "replica stays", "replicas stay")
	}
	return s
}
