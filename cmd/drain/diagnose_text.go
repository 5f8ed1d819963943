package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"drain/plan"
)

// writeDiagnosis prints the answer for people: what helps most first, then the
// partitions that are in the same state together, then the rest of the cluster
// in a line each.
func writeDiagnosis(w io.Writer, paint painter, c *plan.Cluster, d *plan.Diagnosis, say advice) {
	if len(d.Leaderless) == 0 {
		fmt.Fprintf(w, "%s: %s\n", plan.Count(d.Partitions, "partition", "partitions"), paint.bold("every one has a leader."))
	} else {
		fmt.Fprintf(w, "%s of %s: %s\n", paint.red(fmt.Sprint(len(d.Leaderless))), plan.Count(d.Partitions, "partition", "partitions"), paint.red("no leader."))
	}
	for _, s := range starts(d.Leaderless) {
		fmt.Fprintf(w, "  %s: brings %d back with all that was acknowledged\n", paint.bold(fmt.Sprintf("start broker %d", s.broker)), s.partitions)
	}
	for _, group := range alikeStuck(d.Leaderless) {
		writeStuck(w, paint, c, group, say)
	}
	fmt.Fprintln(w)
	writeTally(w, "under min ISR", d.UnderMinISR, "writes with acks=all are refused")
	writeTally(w, "at min ISR", d.AtMinISR, "the next loss stops writes")
	writeTally(w, "under-replicated", d.UnderReplicated, "")
	writeTally(w, "preferred leader elsewhere", d.LedElsewhere, "")
	if len(d.Notes) > 0 {
		fmt.Fprintln(w)
		writeFindings(w, paint, d.Notes)
	}
}

// alikeStuck gathers the partitions that are in the same state, in the order in
// which each state comes first.
func alikeStuck(all []plan.Stuck) [][]*plan.Stuck {
	index := map[string]int{}
	var groups [][]*plan.Stuck
	for i := range all {
		s := &all[i]
		key := fmt.Sprint(s.Replicas)
		for _, c := range s.Cures {
			c.Target = nil // another one for each
			key += fmt.Sprint(c)
		}
		at, ok := index[key]
		if !ok {
			at = len(groups)
			index[key] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], s)
	}
	return groups
}

func writeStuck(w io.Writer, paint painter, c *plan.Cluster, group []*plan.Stuck, say advice) {
	first := group[0]
	var names []plan.TopicPartition
	for _, s := range group {
		names = append(names, s.TopicPartition)
	}
	fmt.Fprintf(w, "\n%s: no leader%s\n", paint.bold(firstNames(names, len(names))), sinceWords(first.Since, c.TakenAt))
	fmt.Fprintf(w, "  %s\n", copyWords(first.Replicas))
	for i, cure := range first.Cures {
		fmt.Fprintf(w, "  %d. %s\n", i+1, say.says(first, cure))
		commands := say.commands(first, cure)
		for _, command := range commands {
			fmt.Fprintf(w, "       %s\n", command)
		}
		if len(commands) > 0 && len(group) > 1 {
			fmt.Fprintf(w, "       and likewise for the others (--output json has each)\n")
		}
	}
}

// firstNames are ten of the names, and how many more there are.
func firstNames(names []plan.TopicPartition, total int) string {
	var words []string
	for _, name := range names[:min(named, len(names))] {
		words = append(words, shortName(name))
	}
	text := strings.Join(words, ", ")
	if more := total - len(words); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// sinceWords tell the time, and how long it is ago as of the picture.
func sinceWords(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	text := " since about " + since.UTC().Format("2006-01-02 15:04:05 UTC")
	if now.After(since) {
		text += " (" + humanDuration(now.Sub(since)) + " ago)"
	}
	return text
}

// copyWords say of each replica how its broker is, and whether it has everything.
func copyWords(copies []plan.Copy) string {
	var words []string
	for _, r := range copies {
		how := map[plan.Health]string{
			plan.Up: "is alive", plan.DirOffline: "is alive, its log dir offline", plan.Stopping: "is shutting down",
			plan.Gone: "is down", plan.FencedOff: "is down (fenced)",
		}[r.Health]
		has := "was out of sync"
		switch {
		case r.InSync:
			has = "was in sync"
		case r.Eligible:
			has = "has everything (ELR)"
		}
		words = append(words, fmt.Sprintf("replica %d %s and %s", r.Broker, how, has))
	}
	return strings.Join(words, "; ")
}

func writeTally(w io.Writer, what string, t plan.Tally, means string) {
	line := fmt.Sprintf("%-27s %d", what, t.Count)
	if t.Count > 0 {
		line += "  " + firstNames(t.First, t.Count)
		if means != "" {
			line += ": " + means
		}
	}
	fmt.Fprintln(w, line)
}
