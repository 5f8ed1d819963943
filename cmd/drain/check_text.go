package main

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

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
	n := r.Counts
	fmt.Fprintf(w, "%s: ", lossOf(r.Brokers))
	switch {
	case n.Leaderless+n.Unclean+n.UnderMinISR == 0:
		fmt.Fprintln(w, paint.bold("nothing would be lost."))
	case safe:
		fmt.Fprintln(w, paint.yellow("what would be lost is accepted."))
	default:
		fmt.Fprintln(w, paint.red("not safe."))
	}
	fmt.Fprintf(w, "%s: %d leaderless, %d with an unclean leader, %d under min ISR, %d with another clean leader, %d unaffected; %d left at their min ISR\n",
		count(n.Partitions, "partition", "partitions"), n.Leaderless, n.Unclean, n.UnderMinISR, n.Elected, n.Unaffected, n.AtMinISR)
	for outcome := election.Leaderless; outcome > election.Unaffected; outcome-- {
		writeOutcome(w, paint, r, outcome, all)
	}
	if all {
		writeOutcome(w, paint, r, election.Unaffected, all)
	}
	writeOnStop(w, r)
	if len(r.Warnings) > 0 {
		fmt.Fprintln(w)
		writeFindings(w, paint, r.Warnings)
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
	writeRows(w, shown)
	if rest := len(hits) - len(shown); rest > 0 {
		fmt.Fprintf(w, "  and %d more (--all, or --output json)\n", rest)
	}
}

func writeRows(w io.Writer, ps []plan.Prediction) {
	width := 0
	for _, p := range ps {
		width = max(width, len(p.String()))
	}
	for _, p := range ps {
		line := fmt.Sprintf("  %-*s  leader %d -> %d, ISR %v", width, p.TopicPartition, p.Leader, p.After.Leader, listed(p.After.ISR))
		if len(p.After.ELR) > 0 {
			line += fmt.Sprintf(", ELR %v", p.After.ELR)
		}
		if reason := p.After.Reason(); reason != "" {
			line += ": " + reason
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// writeOnStop says where a controlled shutdown ends otherwise than a crash.
func writeOnStop(w io.Writer, r *plan.Report) {
	if len(r.OnStop) == 0 {
		return
	}
	fmt.Fprintf(w, "\na controlled shutdown (SIGTERM) would differ for %s:\n", count(len(r.OnStop), "partition", "partitions"))
	shown := r.OnStop[:min(named, len(r.OnStop))]
	writeRows(w, shown)
	if rest := len(r.OnStop) - len(shown); rest > 0 {
		fmt.Fprintf(w, "  and %d more\n", rest)
	}
}
