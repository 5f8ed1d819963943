package executor

import (
	"fmt"
	"strings"
	"time"

	"drain/plan"
	"drain/runbooks"
)

// windowTooShort tells that the moves will take more than one window.
func windowTooShort(p preflight) []plan.Finding {
	need := p.plan.Totals.Time
	span, closes := longestOpening(p.runbook.Window, p.now)
	if !closes || need <= span {
		return nil
	}
	return []plan.Finding{{Level: plan.Warn, Risk: "window-too-short", Partition: none, Broker: none,
		Message: fmt.Sprintf("the moves are expected to take %v, and a window is open for %v: they go on in the next", need.Round(time.Second), span),
		Remedy:  "widen the window or raise the throttle, if that is too late"}}
}

// moveTooLong is for moves that are taken back at the end of every window: a run
// with one would copy the same bytes night after night, and never be over.
func moveTooLong(p preflight) []plan.Finding {
	span, closes := longestOpening(p.runbook.Window, p.now)
	if !closes || p.runbook.WindowEnd != runbooks.Cancel || p.rate == 0 {
		return nil
	}
	never, longest := 0, plan.Move{}
	for _, m := range p.plan.Moves {
		if copying(m, p.rate) > span {
			never++
		}
		if m.Bytes > longest.Bytes {
			longest = m
		}
	}
	if never == 0 {
		return nil
	}
	which := plan.Count(never, "move does", "moves do") + " not fit into a window"
	if never == len(p.plan.Moves) {
		which = "no move fits into a window"
	}
	return []plan.Finding{{Level: plan.Block, Risk: "window-too-short", Topic: longest.Topic, Partition: longest.Partition, Broker: none,
		Message: fmt.Sprintf("%s, of %v, and is taken back at its end (windowEnd: cancel): the largest, %v, has %s, which take %v at %s",
			which, span, longest.TopicPartition, plan.FormatBytes(longest.Bytes), copying(longest, p.rate), rate(p.rate)),
		Remedy: "write windowEnd: finish, widen the window or raise the throttle"}}
}

// copying is how long the copies of a move take at least: all of them leave one
// leader.
func copying(m plan.Move, bytesPerSec int64) time.Duration {
	return time.Duration(float64(m.Bytes) / float64(bytesPerSec) * float64(time.Second)).Round(time.Second)
}

// longestOpening is how long a window is open at a time within the next week, at
// most: openings that touch are one. There is none where it never closes, or never
// opens.
func longestOpening(w *runbooks.Window, now time.Time) (longest time.Duration, closes bool) {
	if w == nil {
		return 0, false
	}
	week := now.AddDate(0, 0, 8) // and the rest of an opening that is under way
	for at := w.Next(now); !at.IsZero() && at.Before(week); {
		end := w.Closes(at)
		if end.IsZero() {
			return 0, false
		}
		longest, closes = max(longest, end.Sub(at)), true
		at = w.Next(end)
	}
	return longest, closes
}

// deadlineTooShort tells that the moves are not expected to be over by the
// deadline, for all the hours in which none may start. Where they take longer in
// themselves the plan says so.
func deadlineTooShort(p preflight) []plan.Finding {
	w, limit, need := p.runbook.Window, p.runbook.Deadline, p.plan.Totals.Time
	if w == nil || limit == 0 || len(p.plan.Moves) == 0 || need > limit {
		return nil
	}
	opens, end, over := w.Next(p.now), expectedEnd(w, need, p.now), p.now.Add(limit)
	if !end.After(over) {
		return nil
	}
	f := plan.Finding{Level: plan.Warn, Risk: "deadline-too-short", Partition: none, Broker: none,
		Message: fmt.Sprintf("within the window the moves are expected to be over at %s, and the deadline ends the run at %s", clock(end), clock(over)),
		Remedy:  "set a later deadline, widen the window or raise the throttle"}
	if opens.After(over) {
		f.Level, f.Message = plan.Block, fmt.Sprintf("the window opens at %s, and the deadline ends the run at %s", clock(opens), clock(over))
	}
	return []plan.Finding{f}
}

// expectedEnd is when moves that take so long will be over, if they begin now or
// as soon as they may. Without a window that ever opens it is the zero time.
func expectedEnd(w *runbooks.Window, need time.Duration, now time.Time) time.Time {
	if w == nil {
		return now.Add(need)
	}
	at := w.Next(now)
	for range 1000 {
		closes := w.Closes(at)
		if at.IsZero() || closes.IsZero() || !at.Add(need).After(closes) {
			break
		}
		need -= closes.Sub(at)
		at = w.Next(closes)
	}
	if at.IsZero() {
		return at
	}
	return at.Add(need)
}

// fit answers "will it fit tonight?" for a person who is about to agree: when
// the moves are expected to begin and to be over, and when they must be.
func fit(rb runbooks.Runbook, p plan.Plan, now time.Time) string {
	need := p.Totals.Time
	if len(p.Moves) == 0 || need == 0 {
		return ""
	}
	end := expectedEnd(rb.Window, need, now)
	if end.IsZero() {
		return "the window never opens"
	}
	parts := []string{fmt.Sprintf("the moves are expected to take %v and to be over at %s", need.Round(time.Second), clock(end))}
	if w := rb.Window; w != nil {
		opens := w.Next(now)
		closes := w.Closes(opens)
		switch {
		case opens.After(now):
			parts = append(parts, fmt.Sprintf("the window opens at %s", clock(opens)))
		case !closes.IsZero():
			parts = append(parts, fmt.Sprintf("the window is open until %s", clock(closes)))
		}
		if !closes.IsZero() && end.After(closes) {
			parts = append(parts, "they do not fit into one window")
		}
	}
	if rb.Deadline > 0 {
		parts = append(parts, fmt.Sprintf("the deadline is at %s", clock(now.Add(rb.Deadline))))
	}
	return strings.Join(parts, "; ")
}

// clock is a time in the machine's own zone, with which one it is.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04 -07:00") }
