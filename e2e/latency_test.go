package e2e_test

import (
	"fmt"
	"slices"
	"time"
)

// latencies are how long the writes of a span of time took, its beginning
// included.
type latencies struct {
	since   time.Time // zero: nothing counts yet
	took    []time.Duration
	longest time.Duration
	slowest string
	slow    []string // those over a second, with partition and time
}

// note takes a write in that has just ended.
func (l *latencies) note(partition string, began time.Time) {
	if l.since.IsZero() || began.Before(l.since) {
		return
	}
	took := time.Since(began)
	l.took = append(l.took, took)
	if took > l.longest {
		l.longest, l.slowest = took, partition
	}
	if took > time.Second {
		l.slow = append(l.slow, fmt.Sprintf("%s %s +%.1fs", partition, began.Format("15:04:05.0"), took.Seconds()))
	}
}

// p99 is what one write in a hundred took longer than.
func (l *latencies) p99() time.Duration {
	if len(l.took) == 0 {
		return 0
	}
	slices.Sort(l.took)
	return l.took[len(l.took)*99/100]
}

func (l *latencies) String() string {
	return fmt.Sprintf("%d writes, p99 %v, longest %v (%s), over a second %d: %v", len(l.took),
		l.p99().Round(time.Millisecond), l.longest.Round(time.Millisecond), l.slowest, len(l.slow), l.slow[:min(len(l.slow), 5)])
}
