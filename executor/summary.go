package executor

import (
	"fmt"

	"drain/plan"
)

// summary is a plan in one line.
func summary(p plan.Plan) string {
	s := count(p.Totals.Moves, "move", "moves") + ", " + human(p.Totals.Bytes)
	if n := len(p.Left); n > 0 {
		s += ", " + count(n, "replica stays", "replicas stay")
	}
	return s
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// human is bytes in the decimal units that throttles are written in.
func human(bytes int64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	value, unit := float64(bytes)/1000, 0
	for value >= 999.95 {
		value /= 1000
		unit++
	}
	return fmt.Sprintf("%.1f %cB", value, "kMGTPE"[unit])
}
