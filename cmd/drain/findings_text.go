package main

import (
	"fmt"
	"io"

	"drain/plan"
)

// alike is how many findings with the same risk and remedy are printed before
// the rest is only counted.
const alike = 5

// writeFindings prints blockers first. Findings that differ only in the
// partition or broker share one remedy.
func writeFindings(w io.Writer, paint painter, findings []plan.Finding) {
	for _, level := range []plan.Level{plan.Block, plan.Warn} {
		for _, group := range groupFindings(findings, level) {
			writeGroup(w, paint, group)
		}
	}
}

// groupFindings gathers the findings of a level by risk and remedy, in the order
// in which each kind comes first.
func groupFindings(findings []plan.Finding, level plan.Level) [][]plan.Finding {
	type kind struct{ risk, remedy string }
	index := map[kind]int{}
	var groups [][]plan.Finding
	for _, f := range findings {
		if f.Level != level {
			continue
		}
		k := kind{f.Risk, f.Remedy}
		i, ok := index[k]
		if !ok {
			i = len(groups)
			index[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

func writeGroup(w io.Writer, paint painter, group []plan.Finding) {
	word := paint.yellow("warning")
	if group[0].Level == plan.Block {
		word = paint.red("blocked")
	}
	for _, f := range group[:min(alike, len(group))] {
		fmt.Fprintf(w, "  %s  %s", word, printable(f.Message))
		if f.Risk != "" {
			fmt.Fprintf(w, " [%s]", f.Risk)
		}
		fmt.Fprintln(w)
	}
	if rest := len(group) - alike; rest > 0 {
		fmt.Fprintf(w, "           and %d more like these (--output json lists all)\n", rest)
	}
	if remedy := group[0].Remedy; remedy != "" {
		fmt.Fprintf(w, "           remedy: %s\n", printable(remedy))
	}
}
