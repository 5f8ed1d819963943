package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"drain/plan"
	"drain/plan/plantest"
)

// large are the shapes that are held to bars of speed and memory.
var large = []string{"L", "XL", "XXL"}

// bars prints the bars of speed and memory, each beside what this run measured.
// Speed is in ratios of processor time, so that neither the machine nor what else
// it does decides.
func (o options) bars() error {
	fmt.Println("bar                                             at most  measured")
	one := map[string]time.Duration{}
	for _, name := range large {
		took, err := o.planningBars(name)
		if err != nil {
			return err
		}
		one[name] = took
	}
	bar("XXL over L, one broker", 15, ratio(one["XXL"], one["L"]))
	program, err := buildDrain()
	if err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(program))
	for _, name := range large {
		runtime.GC()
		w, err := o.measureWhole(program, name)
		if err != nil {
			return err
		}
		bar(name+": drain plan over a byte scan of the file", 3, ratio(w.took, w.bytes))
		bar(name+": the same over encoding/json's tokens", 3, ratio(w.took, w.tokens))
		if name == "XXL" {
			bar(name+": the same, peak of its memory (MB)", 550, float64(w.peak)/1e6)
		}
		fmt.Printf("  %v\n", w)
	}
	return nil
}

// planningBars prints those of one shape, and returns the time of a plan for one
// broker.
func (o options) planningBars(name string) (time.Duration, error) {
	c, err := o.load(name, 1)
	if err != nil {
		return 0, err
	}
	pass := best(5, func() { plantest.Pass(c) })
	one, err := planning(c, 1)
	if err != nil {
		return 0, err
	}
	bar(name+": plan of one broker over a bare pass", 8, ratio(one, pass))
	if name != "XXL" {
		return one, nil
	}
	many, err := planning(c, 100)
	if err != nil {
		return 0, err
	}
	bar(name+": 100 brokers over one", 12, ratio(many, one))
	for _, n := range []int{1, 100} {
		grown, known := growth(func() { _, err = plan.Compute(c, request(c, n)) })
		if err != nil {
			return 0, err
		}
		mb := math.Inf(1) // what is not known keeps to no bar
		if known {
			mb = float64(grown) / 1e6
		}
		bar(fmt.Sprintf("%s: memory over the snapshot, drain of %d (MB)", name, n), 300, mb)
	}
	return one, nil
}

// planning is the time of a plan for the first n brokers.
func planning(c plan.Cluster, n int) (time.Duration, error) {
	var err error
	took := best(5, func() { _, err = plan.Compute(c, request(c, n)) })
	return took, err
}

func request(c plan.Cluster, n int) plan.Request {
	r := plan.Request{Slack: 0.25, DiskHeadroom: 0.1}
	for _, b := range c.Brokers[:n] {
		r.Brokers = append(r.Brokers, b.ID)
	}
	return r
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func bar(what string, most, is float64) {
	verdict := ""
	if is > most {
		verdict = "  over"
	}
	fmt.Printf("%-47s %8.0f  %8.2f%s\n", what, most, is, verdict)
}
