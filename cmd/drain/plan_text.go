package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"drain/plan"
)

// movesShown is how many moves of each destination are listed before the rest is
// only counted.
const movesShown = 3

// writePlanText prints a plan for people: the summary first, then broker by
// broker, the moves grouped by destination, and the findings.
func writePlanText(w io.Writer, paint painter, c plan.Cluster, p plan.Plan, all bool) error {
	writePlanSummary(w, &p)
	fmt.Fprintln(w)
	writeLoads(w, plan.Loads(c, p))
	writeMoves(w, paint, p, all)
	if len(p.Findings) > 0 {
		fmt.Fprintln(w)
		writeFindings(w, paint, p.Findings)
	}
	if blocked := len(p.Blocked()); blocked > 0 {
		fmt.Fprintf(w, "\n%s: %s in the way; nothing would be moved.\n", paint.red("refused"), count(blocked, "finding stands", "findings stand"))
	}
	return nil
}

// writePlanSummary is what a plan costs, in a few lines.
func writePlanSummary(w io.Writer, p *plan.Plan) {
	t := p.Totals
	fmt.Fprintf(w, "plan: %s off %s, %s (no plan can move less than %s)\n",
		count(t.Moves, "move", "moves"), brokerList(p.Brokers), humanBytes(t.Bytes), humanBytes(t.BoundBytes))
	if t.Time > 0 {
		fmt.Fprintf(w, "      about %s under the throttle; no plan can take less than %s (%s)\n",
			humanDuration(t.Time), humanDuration(t.BoundTime), bindingText(t.Binding))
	}
	if t.HelperMoves > 0 {
		fmt.Fprintf(w, "      %s only to make room\n", count(t.HelperMoves, "move is", "moves are"))
	}
	if n := len(p.Left); n > 0 {
		fmt.Fprintf(w, "      %s where they are\n", count(n, "replica stays", "replicas stay"))
	}
}

// bindingText says in words which lower bound is the largest.
func bindingText(name string) string {
	switch name {
	case plan.BoundDestinations:
		return "bound by what has to come into the destinations"
	case plan.BoundFewItems:
		return "bound by the few large partitions there are"
	case plan.BoundPartition:
		return "bound by the largest partition"
	case plan.BoundSources:
		return "bound by what has to be read from one broker"
	case plan.BoundLatency:
		return "bound by the number of moves"
	}
	return name
}

func writeLoads(w io.Writer, loads []plan.Load) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "broker\track\tused\t->\treplicas\t->\tleaders\t->\tin\tout\t")
	for _, l := range loads {
		if l.Before == l.After && l.In == 0 && l.Out == 0 && len(loads) > 40 {
			continue // of a large cluster only what changes
		}
		name := fmt.Sprint(l.Broker)
		if l.Drained {
			name = "* " + name
		}
		before, after := diskUse(l)
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t\n", name, cmp.Or(l.Rack, "-"),
			humanBytes(before), humanBytes(after), l.Before.Replicas, l.After.Replicas,
			l.Before.Leaders, l.After.Leaders, humanBytes(l.In), humanBytes(l.Out))
	}
	tw.Flush()
}

// diskUse is what is used of a broker's disks before and after: what they say
// themselves, since a picture of a large cluster holds the sizes of few logs.
func diskUse(l plan.Load) (before, after int64) {
	before = l.UsedBytes
	if before == plan.Unknown {
		before = l.Before.Bytes
	}
	return before, max(0, before+l.After.Bytes-l.Before.Bytes)
}

// writeMoves lists the moves by the brokers that receive them.
func writeMoves(w io.Writer, paint painter, p plan.Plan, all bool) {
	groups := map[string][]plan.Move{}
	for _, m := range p.Moves {
		key := routeText(m)
		groups[key] = append(groups[key], m)
	}
	for _, key := range sortedKeys(groups) {
		moves := groups[key]
		var bytes int64
		for _, m := range moves {
			bytes += m.Bytes
		}
		fmt.Fprintf(w, "\n%s: %s, %s\n", paint.bold(key), count(len(moves), "move", "moves"), humanBytes(bytes))
		shown := moves
		if !all {
			shown = moves[:min(movesShown, len(moves))]
		}
		for _, m := range shown {
			fmt.Fprintf(w, "  %s  %v -> %v  %s%s\n", m.TopicPartition, m.Before, m.After, humanBytes(m.Bytes), leadText(m))
		}
		if rest := len(moves) - len(shown); rest > 0 {
			fmt.Fprintf(w, "  and %d more (--all)\n", rest)
		}
	}
}

// routeText is from whom to whom a move goes.
func routeText(m plan.Move) string {
	if len(m.To) == 0 {
		return fmt.Sprintf("%s -> reordered only", joinIDs(m.From))
	}
	return fmt.Sprintf("%s -> %s", joinIDs(m.From), joinIDs(m.To))
}

// leadText says who leads where that changes.
func leadText(m plan.Move) string {
	if m.LeadsDuring == plan.NoLeader || m.LeadsDuring == m.Leader {
		return ""
	}
	text := fmt.Sprintf("  led by %d while copying", m.LeadsDuring)
	if m.LeadsFirst != m.LeadsDuring {
		text += fmt.Sprintf(", then %d", m.LeadsFirst)
	}
	return text
}

func joinIDs(ids []int32) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = fmt.Sprint(id)
	}
	return strings.Join(words, ", ")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// seconds prints an expected time for tables.
func seconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return humanDuration(d)
}
