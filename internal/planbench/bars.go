package main

import (
	"fmt"
	"runtime"
	"time"

	"drain/plan"
	"drain/plan/plantest"
)

// bars prints the bars of speed and memory, each beside what this run measured.
// They are ratios of processor time, so that neither the machine nor what else it
// does decides.
func (o options) bars() error {
	fmt.Println("bar                                          at most  measured")
	one := map[string]time.Duration{}
	for _, name := range []string{"L", "XL", "XXL"} {
		c, err := o.load(name, 1)
		if err != nil {
			return err
		}
		pass := best(5, func() { plantest.Pass(c) })
		if one[name], err = planning(c, 1); err != nil {
			return err
		}
		bar(name+": plan of one broker over a bare pass", 8, ratio(one[name], pass))
		if name != "XXL" {
			continue
		}
		many, err := planning(c, 100)
		if err != nil {
			return err
		}
		bar("XXL: 100 brokers over one", 12, ratio(many, one[name]))
	}
	bar("XXL over L, one broker", 15, ratio(one["XXL"], one["L"]))
	for _, name := range []string{"L", "XL", "XXL"} {
		runtime.GC()
		w, err := o.measureWhole(name)
		if err != nil {
			return err
		}
		bar(name+": whole process over a scan of the file", 3, w.scans())
		fmt.Printf("%-44s          peak %s\n", "", w.peak)
	}
	return nil
}

// planning is the time of a plan for the first n brokers.
func planning(c plan.Cluster, n int) (time.Duration, error) {
	r := plan.Request{Slack: 0.25, DiskHeadroom: 0.1}
	for _, b := range c.Brokers[:n] {
		r.Brokers = append(r.Brokers, b.ID)
	}
	var err error
	took := best(5, func() { _, err = plan.Compute(c, r) })
	return took, err
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func bar(what string, most, is float64) {
	verdict := ""
	if is > most {
		verdict = "  over"
	}
	fmt.Printf("%-44s %8.0f  %8.2f%s\n", what, most, is, verdict)
}
