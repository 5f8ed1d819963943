package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"drain/plan"
)

// writePlanSummary is what a plan costs, in a few lines.
func writePlanSummary(w io.Writer, p *plan.Plan) {
	t := p.Totals
	if len(p.Brokers) == 0 { // of a restore
		fmt.Fprintf(w, "plan: %s back, %s\n", plan.Count(t.Moves, "move", "moves"), humanBytes(t.Bytes))
		return
	}
	mode := ""
	if p.Mode != plan.Evacuate {
		mode = " in mode " + p.Mode.String()
	}
	fmt.Fprintf(w, "plan: %s off %s%s, %s (no plan can move less than %s)\n",
		plan.Count(t.Moves, "move", "moves"), plan.BrokerNames(p.Brokers), mode, humanBytes(t.Bytes), humanBytes(t.BoundBytes))
	switch {
	case t.Never:
		fmt.Fprintln(w, "      it never ends under the throttle: more is written than may be copied")
	case t.Time > 0 && t.Time < t.BoundTime: // some have no place, and the bound is of all
		fmt.Fprintf(w, "      no plan of all can take less than %s under the throttle (%s)\n", humanDuration(t.BoundTime), bindingText(t.Binding))
	case t.Time > 0:
		fmt.Fprintf(w, "      about %s under the throttle; no plan can take less than %s (%s)\n",
			humanDuration(t.Time), humanDuration(t.BoundTime), bindingText(t.Binding))
	}
	if t.HelperMoves > 0 {
		fmt.Fprintf(w, "      %s only to make room\n", plan.Count(t.HelperMoves, "move is", "moves are"))
	}
	if n := len(p.Left); n > 0 && p.Instead == nil {
		fmt.Fprintf(w, "      %s on %s\n", plan.Count(n, "partition keeps a replica", "partitions keep replicas"), plan.BrokerNames(p.Brokers))
	}
	if p.Instead != nil {
		writeTrade(w, p)
	}
}

// writeTrade holds mode at-risk against an evacuation: what is saved, and what is
// given up for it.
func writeTrade(w io.Writer, p *plan.Plan) {
	if n := p.InsteadLeft; n > 0 {
		fmt.Fprintf(w, "      there is no choice: %v would be refused, since %s (--mode %[1]v says why)\n",
			plan.Evacuate, plan.Count(n, "partition could not leave", "partitions could not leave"))
	} else {
		writeSaved(w, p)
	}
	here := p.Totals
	if len(p.Left) == 0 {
		fmt.Fprintf(w, "      given up: nothing, no partition keeps a replica on %s\n", plan.BrokerNames(p.Brokers))
		return
	}
	fmt.Fprintf(w, "      given up: %s one in-sync replica short or more while %s down",
		plan.Count(len(p.Left), "partition is", "partitions are"), downText(p.Brokers))
	if n := here.AtMinISR; n > 0 {
		fmt.Fprintf(w, ", %d of them exactly at the minimum: the next fault there stops writes", n)
	}
	fmt.Fprintln(w)
}

// writeSaved is the table of the two.
func writeSaved(w io.Writer, p *plan.Plan) {
	here, whole := p.Totals, *p.Instead
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "      \t%v\t%v\tsaved\t\n", p.Mode, plan.Evacuate)
	fmt.Fprintf(tw, "      moves\t%d\t%d\t%d\t\n", here.Moves, whole.Moves, whole.Moves-here.Moves)
	fmt.Fprintf(tw, "      bytes\t%s\t%s\t%s\t\n", humanBytes(here.Bytes), humanBytes(whole.Bytes), humanBytes(max(0, whole.Bytes-here.Bytes)))
	if whole.Time > 0 {
		fmt.Fprintf(tw, "      time\t%s\t%s\t%s\t\n", humanDuration(here.Time), humanDuration(whole.Time), humanDuration(max(0, whole.Time-here.Time)))
	}
	tw.Flush()
}

func downText(ids []int32) string {
	if len(ids) == 1 {
		return plan.BrokerNames(ids) + " is"
	}
	return plan.BrokerNames(ids) + " are"
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
