package main

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"unicode/utf8"

	"drain/election"
	"drain/plan"
)

// named is how many partitions of an outcome are named before the rest is only
// counted.
const named = 10

// rows are the predictions to be listed: those with an outcome worth a look, or
// all.
func rows(r *plan.Report, all bool) iter.Seq[plan.Prediction] {
	if all {
		return r.All()
	}
	return func(yield func(plan.Prediction) bool) {
		for _, p := range r.Touched {
			if p.After.Outcome != election.Unaffected && !yield(p) {
				return
			}
		}
	}
}

// writeCheck prints the answer for people: the verdict, then the partitions by
// outcome, worst first.
func writeCheck(w io.Writer, paint painter, r *plan.Report, safe, all bool) {
	fmt.Fprintf(w, "%s: %s\n", lossOf(r.Brokers), verdict(paint, r.Counts, safe))
	writeCounts(w, r.Counts)
	for outcome := election.Leaderless; outcome > election.Unaffected; outcome-- {
		writeOutcome(w, paint, r, outcome, all)
	}
	if all {
		writeOutcome(w, paint, r, election.Unaffected, all)
	}
	writeOnStop(w, r, all)
	if len(r.Warnings) > 0 {
		fmt.Fprintln(w)
		writeFindings(w, paint, r.Warnings)
	}
	if !safe {
		fmt.Fprintln(w, "\ndrain plan with the same arguments shows the moves that make it safe.")
	}
}

// verdict is the answer in a word or two, and the worst of what it is for.
func verdict(paint painter, n plan.Counts, safe bool) string {
	bad := n.Leaderless + n.Unclean + n.UnderMinISR
	switch {
	case bad == 0:
		return paint.bold("safe.") + " Nothing would be lost, and every partition could still be read and written that can be now."
	case safe:
		return paint.yellow("what would be lost is accepted") + fmt.Sprintf(" (%d of %s).", bad, plan.Count(n.Partitions, "partition", "partitions"))
	}
	return paint.red("not safe") + fmt.Sprintf(" for %d of %s.", bad, plan.Count(n.Partitions, "partition", "partitions"))
}

// outcomeMeanings say what each outcome is to those who use the partition.
var outcomeMeanings = map[election.Outcome]string{
	election.Leaderless:    "nobody could read or write them until a replica comes back",
	election.UncleanLeader: "a replica out of sync would take over: what it lacks is lost",
	election.UnderMinISR:   "could be read, but writes with acks=all would be refused",
	election.Elected:       "another replica in sync takes over, nothing is lost",
	election.Unaffected:    "stay as they are, or lose a replica that they can spare",
}

// writeCounts prints a line for each outcome that comes up.
func writeCounts(w io.Writer, n plan.Counts) {
	for _, row := range []struct {
		outcome election.Outcome
		n       int
	}{
		{election.Leaderless, n.Leaderless}, {election.UncleanLeader, n.Unclean}, {election.UnderMinISR, n.UnderMinISR},
		{election.Elected, n.Elected}, {election.Unaffected, n.Unaffected},
	} {
		if row.n > 0 {
			fmt.Fprintf(w, "  %7d %-11s  %s\n", row.n, row.outcome, outcomeMeanings[row.outcome])
		}
	}
	if n.AtMinISR > 0 {
		fmt.Fprintf(w, "  %d of these would be left at their min ISR: the next loss there stops writes\n", n.AtMinISR)
	}
}

func writeOutcome(w io.Writer, paint painter, r *plan.Report, outcome election.Outcome, all bool) {
	hits := slices.Collect(func(yield func(plan.Prediction) bool) {
		for p := range rows(r, all) {
			if p.After.Outcome == outcome && !yield(p) {
				return
			}
		}
	})
	if len(hits) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s (%d)\n", paint.bold(outcome.String()), len(hits))
	shown := hits
	if !all {
		shown = hits[:min(named, len(hits))]
	}
	writeRows(w, shown, all)
	if rest := len(hits) - len(shown); rest > 0 {
		fmt.Fprintf(w, "  and %d more (--all, or --output json)\n", rest)
	}
}

func writeRows(w io.Writer, ps []plan.Prediction, all bool) {
	width := 0
	for _, p := range ps {
		width = max(width, utf8.RuneCountInString(shownName(p.TopicPartition, all)))
	}
	for _, p := range ps {
		line := fmt.Sprintf("  %-*s  leader %s: %s; ISR %v", width, shownName(p.TopicPartition, all), leaderWords(p), p.After.Reason(), inOrder(p.After.ISR))
		if len(p.After.ELR) > 0 {
			line += fmt.Sprintf(", ELR %v", inOrder(p.After.ELR))
		}
		fmt.Fprintln(w, line)
	}
}

// leaderWords tell how the leader changes, if it does.
func leaderWords(p plan.Prediction) string {
	name := func(id int32) string {
		if id == plan.NoLeader {
			return "none"
		}
		return fmt.Sprint(id)
	}
	if p.Leader == p.After.Leader {
		return name(p.Leader)
	}
	return name(p.Leader) + " -> " + name(p.After.Leader)
}

// writeOnStop says where a controlled shutdown ends otherwise than a crash.
func writeOnStop(w io.Writer, r *plan.Report, all bool) {
	if len(r.OnStop) == 0 {
		return
	}
	fmt.Fprintf(w, "\nIf stopped in order instead (SIGTERM, controlled shutdown), %s would go otherwise:\n", plan.Count(len(r.OnStop), "partition", "partitions"))
	shown := r.OnStop[:min(named, len(r.OnStop))]
	writeRows(w, shown, all)
	if n := stillLed(r.OnStop); n > 0 {
		fmt.Fprintf(w, "  of which the controller can not move %d: the broker leads them until its process is gone\n", n)
	}
	if rest := len(r.OnStop) - len(shown); rest > 0 {
		fmt.Fprintf(w, "  and %d more\n", rest)
	}
}

func stillLed(ps []plan.Prediction) int {
	n := 0
	for i := range ps {
		if ps[i].After.StillLed {
			n++
		}
	}
	return n
}

func inOrder(ids []int32) []int32 { return slices.Sorted(slices.Values(ids)) }
