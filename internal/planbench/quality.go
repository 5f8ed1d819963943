package main

import (
	"fmt"
	"strings"
	"time"

	"drain/plan"
	"drain/plan/plantest"
)

const header = "shape    drain slack   moves       GB  bound binding      load  read full left lost displ | fill sd  excess  leaders | scan: load excess  leaders fill sd |   cpu ms   pass  misses"

// row is a plan, and beside it what a plain scan makes of the same budget.
type row struct {
	name  string
	slack float64
	p     plan.Plan
	q     plantest.Quality
	scan  *plantest.Quality // nil where it is left out
}

func (o options) row(name string, c plan.Cluster, d drain, slack float64, pass time.Duration) error {
	r := plan.Request{Brokers: d.brokers, Slack: slack, DiskHeadroom: 0.1}
	line := row{name: fmt.Sprintf("%-8s %5s %5.2f", name, d.name, slack), slack: slack}
	var err error
	took := best(o.tries, func() { line.p, err = plan.Compute(c, r) })
	if err != nil {
		return err
	}
	line.q = plantest.Measure(c, line.p, r.DiskHeadroom)
	if !o.quick && line.q.Left == 0 && len(line.p.Moves)*len(c.Brokers) <= o.looks {
		s := plantest.Measure(c, plantest.Scan(c, r, line.q.Bound*(1+slack)), r.DiskHeadroom)
		line.scan = &s
	}
	line.print(took, pass)
	o.sum.add(line)
	return nil
}

// mostLooks is how many brokers a plain scan may look at unless told otherwise: some
// ten seconds' worth. Beyond it, as for a whole rack of XL, it is left out.
const mostLooks = 700_000_000

func (r row) print(took, pass time.Duration) {
	q := &r.q
	fmt.Printf("%s %7d %8.0f %6.4f %-12s %5.3f %5.3f %4d %4d %4d %5d | %7.4f %7d %8.5f |",
		r.name, len(r.p.Moves), float64(q.Bytes)/1e9, r.bytes(), r.p.Totals.Binding, q.Load(), r.read(),
		q.Full, q.Left, q.RacksLost, q.Displaced, q.FillSpread*100, q.Excess, q.LeaderSpread)
	if r.scan == nil {
		fmt.Printf("%37s |", "")
	} else {
		fmt.Printf(" %10.3f %6d %8.5f %7.4f |", r.scan.In/max(1, q.Bound), r.scan.Excess, r.scan.LeaderSpread, r.scan.FillSpread*100)
	}
	fmt.Printf(" %8.1f %6.1f  %s\n", took.Seconds()*1000, ratio(took, pass), strings.Join(r.misses(), " "))
}

// bytes are those that move over those that must.
func (r row) bytes() float64 {
	if r.q.BoundBytes == 0 {
		return 1
	}
	return float64(r.q.Bytes) / float64(r.q.BoundBytes)
}

// read is what is read from the busiest broker over the bound.
func (r row) read() float64 { return r.q.Out / max(1, r.q.Bound) }

// misses names the bars that a plan misses. A refusal is none, if the plan says so.
func (r row) misses() []string {
	q, most := &r.q, max(1+r.slack, 1.02)+1e-9
	if q.Left > 0 && len(r.p.Blocked()) > 0 {
		return []string{"(refused)"}
	}
	var missed []string
	for _, bar := range []struct {
		name string
		miss bool
	}{
		{"bytes", r.bytes() != 1},
		{"left", q.Left > 0},
		{"wrong", q.Wrong > 0},
		{"racks", q.RacksLost > 0},
		{"full", q.Full > 0},
		{"load", q.Load() > most},
		{"read", r.read() > most},
		{"displaced", q.Displaced > 0},
		{"excess", r.scan != nil && float64(q.Excess) > 1.01*float64(r.scan.Excess)},
		{"leaders", r.scan != nil && q.LeaderSpread > 1.01*r.scan.LeaderSpread+1e-9},
	} {
		if bar.miss {
			missed = append(missed, strings.ToUpper(bar.name))
		}
	}
	return missed
}

// sums are over all rows with a scan beside them: no worse in each case by much is
// not enough.
type sums struct {
	rows, missed          int
	excess, scanExcess    int
	leaders, scanLeaders  float64
	worstLoad, worstReads float64 // over what the slack allows
}

func (s *sums) add(r row) {
	s.rows++
	if m := r.misses(); len(m) > 0 && m[0] != "(refused)" {
		s.missed++
	}
	if r.q.Left == 0 {
		s.worstLoad = max(s.worstLoad, r.q.Load()/(1+r.slack))
		s.worstReads = max(s.worstReads, r.read()/(1+r.slack))
	}
	if r.scan != nil {
		s.excess, s.scanExcess = s.excess+r.q.Excess, s.scanExcess+r.scan.Excess
		s.leaders, s.scanLeaders = s.leaders+r.q.LeaderSpread, s.scanLeaders+r.scan.LeaderSpread
	}
}

func (s *sums) print() {
	fmt.Printf("%d plans, %d with a miss; over bound and slack at most: load %.3f, read %.3f; in sum: excess %d, scan %d; leaders %.4f, scan %.4f\n",
		s.rows, s.missed, s.worstLoad, s.worstReads, s.excess, s.scanExcess, s.leaders, s.scanLeaders)
}
