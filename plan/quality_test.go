package plan_test

import (
	"fmt"
	"slices"
	"testing"

	"drain/plan"
	"drain/plan/plantest"
)

// The bars of quality, on the shapes that are small enough for a test; planbench
// shows them for all. What cannot be placed must be refused, and the rest is as
// good as what a plain scan of all brokers finds under the same budget of time.
func TestPlansAreGoodOnEveryShape(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"S", "N", "F", "H", "R0", "R2", "R12", "R20", "RF5"} {
		if raced && name != "S" && name != "R12" {
			continue
		}
		shape, _ := plantest.Named(name)
		c := shape.Cluster(1)
		for _, n := range []int{1, 5, 10} {
			for _, slack := range []float64{0.25, 0} {
				if n*2 > len(c.Brokers) {
					continue
				}
				t.Run(fmt.Sprintf("%d of %s with slack %v", n, name, slack), func(t *testing.T) {
					t.Parallel()
					r := plan.Request{Slack: slack, DiskHeadroom: 0.1}
					for _, b := range c.Brokers[:n] {
						r.Brokers = append(r.Brokers, b.ID)
					}
					checkQuality(t, c, r)
				})
			}
		}
	}
}

func checkQuality(t *testing.T, c plan.Cluster, r plan.Request) {
	t.Helper()
	p, err := plan.Compute(c, r)
	if err != nil {
		t.Fatal(err)
	}
	q := plantest.Measure(c, p, r.DiskHeadroom)
	if q.Wrong+q.RacksLost+q.Full+q.Displaced > 0 {
		t.Errorf("%d wrong replicas, %d racks lost, %d brokers full, %d leaders displaced", q.Wrong, q.RacksLost, q.Full, q.Displaced)
	}
	if q.Left > 0 {
		if len(p.Left) != q.Left || !slices.ContainsFunc(p.Blocked(), func(f plan.Finding) bool { return f.Risk == "disk-full" }) {
			t.Errorf("%d are left, and the plan says %d, %v", q.Left, len(p.Left), p.Blocked())
		}
		return
	}
	if q.Bytes != q.BoundBytes || q.Bytes != p.Totals.Bytes {
		t.Errorf("%d bytes move, %d are told, %d have to", q.Bytes, p.Totals.Bytes, q.BoundBytes)
	}
	if q.Load() > max(1+r.Slack, 1.02) {
		t.Errorf("the busiest broker gets %.3f of the bound", q.Load())
	}
	s := plantest.Measure(c, plantest.Scan(c, r, q.Bound*(1+r.Slack)), r.DiskHeadroom)
	if float64(q.Excess) > 1.01*float64(s.Excess) || q.LeaderSpread > 1.01*s.LeaderSpread+1e-9 {
		t.Errorf("excess %d and leaders %.5f; a scan has %d and %.5f", q.Excess, q.LeaderSpread, s.Excess, s.LeaderSpread)
	}
}
