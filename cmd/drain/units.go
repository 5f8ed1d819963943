package main

import (
	"fmt"
	"time"

	"drain/plan"
)

// humanBytes prints bytes in the decimal units that throttles are written in.
func humanBytes(n int64) string {
	if n < 0 {
		return "unknown"
	}
	return plan.FormatBytes(n)
}

// humanDuration prints a time in at most two units: 2d4h, 3h20m, 45s.
func humanDuration(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
}

// longestName is how much of a partition's name a table shows: those of Kafka may
// have 249 characters and more, and would push every other column off the screen.
const longestName = 50

// shownName is the name of a partition for a table: in full where all was asked
// for, since names are copied from there.
func shownName(tp plan.TopicPartition, all bool) string {
	if all {
		return printable(tp.String())
	}
	return shortName(tp)
}

// shortName is the name of a partition with its middle left out if it is too
// long: what tells such names apart is most often at their ends.
func shortName(tp plan.TopicPartition) string {
	name := []rune(printable(tp.String()))
	if len(name) <= longestName {
		return string(name)
	}
	head := longestName / 2
	return string(name[:head]) + "…" + string(name[len(name)-(longestName-head-1):])
}
