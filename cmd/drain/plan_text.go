package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"drain/plan"
)

// What is listed before the rest is only counted: groups of moves that go the
// same way, and moves of each.
const (
	groupsShown = 20
	movesShown  = 3
)

// writePlanText prints a plan for people: whether it would be carried out and
// what it costs, then broker by broker, the moves grouped by the way they go, and
// the findings.
func writePlanText(w io.Writer, paint painter, c plan.Cluster, p plan.Plan, all bool) error {
	verdict := ""
	if blocked := len(p.Blocked()); blocked > 0 {
		verdict = fmt.Sprintf("%s: %s in the way; nothing would be moved.\n", paint.red("refused"), plan.Count(blocked, "finding stands", "findings stand"))
	}
	fmt.Fprint(w, verdict)
	writePlanSummary(w, &p)
	fmt.Fprintln(w)
	writeLoads(w, plan.Loads(c, p))
	writeMoves(w, paint, p, all)
	if len(p.Findings) > 0 {
		fmt.Fprintln(w)
		writeFindings(w, paint, p.Findings)
	}
	if verdict != "" {
		fmt.Fprint(w, "\n"+verdict)
	}
	return nil
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
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t\n", name, printable(cmp.Or(l.Rack, "-")),
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

// writeMoves lists the moves, those together that go the same way.
func writeMoves(w io.Writer, paint painter, p plan.Plan, all bool) {
	groups := groupMoves(p.Moves)
	shown := groups
	if !all {
		shown = groups[:min(groupsShown, len(groups))]
	}
	for _, moves := range shown {
		fmt.Fprintf(w, "\n%s: %s, %s\n", paint.bold(routeText(moves[0])), plan.Count(len(moves), "move", "moves"), humanBytes(bytesOf(moves)))
		for i, m := range moves {
			if i == movesShown && !all {
				fmt.Fprintf(w, "  and %d more (--all)\n", len(moves)-i)
				break
			}
			fmt.Fprintf(w, "  %s  %v -> %v  %s%s\n", shownName(m.TopicPartition, all), m.Before, m.After, humanBytes(m.Bytes), leadText(m)+dirText(m))
		}
	}
	if rest := slices.Concat(groups[len(shown):]...); len(rest) > 0 {
		fmt.Fprintf(w, "\nand %s of %s by %d other ways (--all)\n", plan.Count(len(rest), "move", "moves"), humanBytes(bytesOf(rest)), len(groups)-len(shown))
	}
}

// groupMoves puts moves together that leave the same brokers for the same ones,
// in the order of these.
func groupMoves(moves []plan.Move) [][]plan.Move {
	byWay := func(a, b plan.Move) int { return cmp.Or(slices.Compare(a.From, b.From), slices.Compare(a.To, b.To)) }
	sorted := slices.Clone(moves)
	slices.SortStableFunc(sorted, byWay)
	var groups [][]plan.Move
	for _, m := range sorted {
		if last := len(groups) - 1; last >= 0 && byWay(groups[last][0], m) == 0 {
			groups[last] = append(groups[last], m)
		} else {
			groups = append(groups, []plan.Move{m})
		}
	}
	return groups
}

func bytesOf(moves []plan.Move) int64 {
	var sum int64
	for _, m := range moves {
		sum += m.Bytes
	}
	return sum
}

// routeText is from whom to whom a move goes.
func routeText(m plan.Move) string {
	text := fmt.Sprintf("%s -> %s", plan.JoinIDs(m.From), plan.JoinIDs(m.To))
	if m.Helper {
		text += " (only to make room)"
	}
	return text
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

// dirText names the log dirs that are asked for.
func dirText(m plan.Move) string {
	text := ""
	for i, dir := range m.Dirs {
		if dir != "" {
			text += fmt.Sprintf("  on %d in %s", m.To[i], printable(dir))
		}
	}
	return text
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
