package executor

import (
	"context"
	"fmt"
	"time"

	"drain/plan"
)

const (
	// clockTolerance is how far clocks may be apart, or one may jump, before a
	// person is told.
	clockTolerance = time.Minute
	// windowTolerance is how much earlier or later than it says a window may open
	// before nothing is begun.
	windowTolerance = 10 * time.Minute
)

// clockSkew tells that this host and the leading controller do not agree what
// time it is. It blocks where a window would open far from its hours, since those
// are the only thing that the clock of this host decides: deadlines, timeouts and
// watches are measured. Which of the two clocks is wrong nobody here can know.
func clockSkew(p preflight) []plan.Finding {
	ahead := p.cluster.ClockAhead
	if ahead.Abs() <= clockTolerance {
		return nil
	}
	than := "ahead of"
	if ahead < 0 {
		than = "behind"
	}
	f := plan.Finding{Level: plan.Warn, Risk: "clock-skew", Partition: none, Broker: none,
		Message: "the clock of the leading controller is " + ahead.Abs().Round(time.Second).String() + " " + than + " the one of this host",
		Remedy:  "set the wrong one (NTP)"}
	if p.runbook.Window != nil && ahead.Abs() > windowTolerance {
		f.Level, f.Message = plan.Block, f.Message+": the window may open at the wrong time"
	}
	return []plan.Finding{f}
}

// tellPutBack warns where the journal ends in the future: the clock of this host
// was put back since, or is wrong now.
func (r *run) tellPutBack() {
	records := r.journal.Records()
	if len(records) == 0 {
		return
	}
	last := records[len(records)-1].Time
	if by := time.Until(last); by > clockTolerance {
		r.say(EventWarn, "the journal ends at %s, %v from now: the clock of this host was put back since; the times in it are not in order", last.Format(time.RFC3339), by.Round(time.Second))
	}
}

// watchClock tells while ctx lasts when the clock of this host is set, or stands
// still because the host does. stop ends it.
func (r *run) watchClock(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for seen := read(time.Now()); pause(ctx, lookAtClock) == nil; {
			seen = r.tellJump(seen, time.Now())
		}
	}()
	return func() { cancel(); <-over }
}

// tellJump tells of a jump since the clock was last read, and reads it anew if
// there was one. It is an aside: the step is that of another goroutine.
func (r *run) tellJump(seen reading, now time.Time) reading {
	by := seen.jump(now)
	if by.Abs() <= clockTolerance {
		return seen
	}
	r.aside(EventWarn, fmt.Sprintf("the clock of this host has jumped by %v: it was set, or the host was asleep", by.Round(time.Second)))
	return read(now)
}

// reading is what the clock showed at a moment.
type reading struct {
	at    time.Time // with the monotonic clock
	shown time.Time // without
}

func read(now time.Time) reading { return reading{at: now, shown: now.Round(0)} }

// jump is how much further the clock has gone than time has passed.
func (r reading) jump(now time.Time) time.Duration {
	return now.Round(0).Sub(r.shown) - now.Sub(r.at)
}
