package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"drain/executor"
	"drain/reassign"
)

// textEvents prints a run for people. On a terminal the progress is one line
// that is redrawn; elsewhere there is a line for each change, and none for a
// look that found nothing new.
type textEvents struct {
	w        io.Writer
	terminal bool
	paint    painter

	drawn bool               // a progress line stands on the terminal
	last  *reassign.Progress // printed last, elsewhere
	tally tally              // settings not printed yet
}

func (t *textEvents) event(ev executor.Event) {
	if p := progressOf(ev); p != nil {
		if p.Moves == 0 && len(p.InFlight) > 0 {
			t.flush(ev) // what was throttled, before the first copy
		}
		t.progress(ev, *p)
		return
	}
	if t.tally.take(ev) || shownByProgress(ev) {
		return
	}
	t.wipe()
	if ev.Kind != executor.EventChange {
		t.flush(ev)
	}
	if ev.Kind == executor.EventProgress {
		t.transient(ev)
		return
	}
	t.line(ev)
}

func (t *textEvents) close() {
	t.wipe()
	t.flush(executor.Event{Time: time.Now()})
}

func (t *textEvents) line(ev executor.Event) {
	clock := t.clock(ev) + " "
	switch ev.Kind {
	case executor.EventStep:
		fmt.Fprintf(t.w, "%s%s\n", clock, t.paint.bold(stepTitle(ev)))
	case executor.EventFindings:
		writeFindings(t.w, t.paint, ev.Findings)
	case executor.EventPlan:
		writePlanSummary(t.w, ev.Plan)
	case executor.EventWarn:
		fmt.Fprintf(t.w, "%s%s %s\n", clock, t.paint.yellow("warning:"), ev.Text)
	case executor.EventOutput:
		fmt.Fprintf(t.w, "           | %s\n", printable(ev.Text))
	case executor.EventCommand:
		fmt.Fprintf(t.w, "%s  runs %s (pid %d)\n", clock, quoteArgv(ev.Argv), ev.PID)
	case executor.EventLast, executor.EventStart, executor.EventResume:
		fmt.Fprintf(t.w, "%s%s\n", clock, ev.Text)
	default:
		fmt.Fprintf(t.w, "%s  %s\n", clock, ev.Text)
	}
}

// flush prints the settings that were counted.
func (t *textEvents) flush(ev executor.Event) {
	for _, line := range t.tally.flush() {
		fmt.Fprintf(t.w, "%s   %s\n", t.clock(ev), line)
	}
}

// shownByProgress is whether the progress line tells the same.
func shownByProgress(ev executor.Event) bool {
	return ev.Move != nil && (ev.Move.Kind == reassign.Submitted || ev.Move.Kind == reassign.Completed)
}

func (t *textEvents) clock(ev executor.Event) string { return t.paint.dim(ev.Time.Format("15:04:05")) }

// stepTitle names a step, and the broker where the run has several.
func stepTitle(ev executor.Event) string {
	if ev.Broker >= 0 {
		return fmt.Sprintf("%s broker %d", ev.Step, ev.Broker)
	}
	return ev.Step
}

// progressOf is how far the moves are, if that is what the event says.
func progressOf(ev executor.Event) *reassign.Progress {
	if ev.Kind != executor.EventProgress || ev.Move == nil {
		return nil
	}
	return ev.Move.Progress
}

func (t *textEvents) progress(ev executor.Event, p reassign.Progress) {
	if t.terminal {
		t.draw(progressLine(p))
		return
	}
	if t.last != nil && t.last.Moves == p.Moves && (len(t.last.InFlight) == 0) == (len(p.InFlight) == 0) {
		return
	}
	t.last = &p
	fmt.Fprintf(t.w, "%s   %s\n", t.clock(ev), progressLine(p))
}

// transient shows a wait on a terminal only; elsewhere it would be a line a look.
func (t *textEvents) transient(ev executor.Event) {
	if t.terminal {
		t.draw(ev.Text)
	}
}

func (t *textEvents) draw(line string) {
	fmt.Fprintf(t.w, "\r\x1b[K  %s", line)
	t.drawn = true
}

// wipe takes the progress line off the terminal before something else is printed.
func (t *textEvents) wipe() {
	if t.drawn {
		fmt.Fprint(t.w, "\r\x1b[K")
		t.drawn = false
	}
}

// progressLine is moves, bytes, rate and time left in one line.
func progressLine(p reassign.Progress) string {
	parts := []string{
		fmt.Sprintf("%d of %d moved", p.Moves, p.MovesTotal),
		fmt.Sprintf("%s of %s", humanBytes(p.Bytes), humanBytes(p.BytesTotal)),
		humanBytes(p.BytesPerSec) + "/s",
	}
	if p.Left >= 0 {
		parts = append(parts, humanDuration(p.Left)+" left")
	}
	if n := len(p.InFlight); n > 0 {
		parts = append(parts, fmt.Sprintf("%d in flight", n))
	}
	if quiet := quietest(p); quiet.Quiet >= longQuiet {
		parts = append(parts, fmt.Sprintf("%v waits for %s (%s)", quiet.TopicPartition, humanDuration(quiet.Quiet), cmp.Or(quiet.Why, "cause unknown")))
	}
	return strings.Join(parts, ", ")
}

// longQuiet is how long a move shows no progress before it is named.
const longQuiet = 10 * time.Second

// quietest is the move in flight that has shown no progress for the longest.
func quietest(p reassign.Progress) reassign.Flight {
	var worst reassign.Flight
	for _, f := range p.InFlight {
		if f.Quiet > worst.Quiet {
			worst = f
		}
	}
	return worst
}

// quoteArgv prints an argv so that a person sees where each word ends.
func quoteArgv(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\") {
			words[i] = fmt.Sprintf("%q", a)
		}
	}
	return strings.Join(words, " ")
}

// printable replaces control characters, which a child's output may hold and a
// terminal would obey.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, line)
}
