package reassign

import (
	"sync"
	"testing"
	"time"
)

// rate is the throttle of each broker in the comparisons.
const rate = 50e6

// settling is the model of the comparisons: 2 s from the last byte to the end, a
// look every second, 72 hours of writes retained.
func settling(poll time.Duration) fluid {
	return fluid{rate: rate, settle: 2 * time.Second, poll: poll, grow: 1 / (72 * time.Hour).Seconds()}
}

// In the fluid model: near the bound, far ahead of batches with a barrier, no worse
// than everything at once, and never over a window.
func TestSchedulerAgainstNaivePolicies(t *testing.T) {
	t.Parallel()
	for _, d := range drains {
		if (raced || testing.Short()) && len(d.brokers) > 1 {
			continue
		}
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			loads, bound := d.loads(t, rate)
			bar := 1.05
			if len(d.brokers) > 1 {
				bar = 1.08
			}
			var ours, all, batched fluidResult
			var runs sync.WaitGroup
			runs.Go(func() { ours = settling(time.Second).run(loads, lanesPolicy(rate)) })
			runs.Go(func() { all = settling(time.Second).run(loads, atOnce) })
			runs.Go(func() { batched = settling(10*time.Second).run(loads, batches(50)) })
			runs.Wait()
			t.Logf("%d moves, bound %.0f s, busiest lane %.0f s; over the bound: ours %.3f (%d in flight, %d on a lane), at once %.3f, batches of 50 %.2f",
				len(loads), bound, ours.busiest, ours.finish/bound, ours.most, ours.mostLane, all.finish/bound, batched.finish/bound)
			if ours.finish > bar*bound {
				t.Errorf("finish is %.3f of the bound, want at most %.2f", ours.finish/bound, bar)
			}
			if ours.finish > 1.03*all.finish {
				t.Errorf("finish is %.3f of everything at once, want at most 1.03", ours.finish/all.finish)
			}
			if batched.finish < 2.5*ours.finish {
				t.Errorf("batches of 50 take %.2f times as long, want at least 2.5", batched.finish/ours.finish)
			}
			if ours.mostLane > defaultPort {
				t.Errorf("%d in flight on a lane, want at most %d", ours.mostLane, defaultPort)
			}
		})
	}
}

// Other ways to schedule, on the drains that tell them apart: a global window leaves lanes idle, a fixed number for each broker is
// slow where partitions are tiny.
func TestOtherWaysAreSlower(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		drain int
		name  string
		poll  time.Duration
		pick  policy
		worse float64
	}{
		{1, "batches of 200", 10 * time.Second, batches(200), 2},
		{1, "a global window of 50", time.Second, globalWindow(50), 1.4},
		{1, "a global window of 200", time.Second, globalWindow(200), 1.1},
		{3, "five for each broker", 10 * time.Second, perBroker(5), 3},
	} {
		d := drains[c.drain]
		t.Run(d.String()+", "+c.name, func(t *testing.T) {
			t.Parallel()
			loads, bound := d.loads(t, rate)
			ours, theirs := settling(time.Second).run(loads, lanesPolicy(rate)), settling(c.poll).run(loads, c.pick)
			t.Logf("%.3f of the bound against %.3f", theirs.finish/bound, ours.finish/bound)
			if theirs.finish < c.worse*ours.finish {
				t.Errorf("takes %.2f times as long as ours, want at least %.1f", theirs.finish/ours.finish, c.worse)
			}
		})
	}
}

// The model itself: lanes are shared max-min fairly, and a move ends at the
// first poll after its settling.
func TestFluid(t *testing.T) {
	t.Parallel()
	f := fluid{rate: 10e6, settle: 2 * time.Second, poll: time.Second}
	for _, c := range []struct {
		name  string
		loads []Load
		want  float64
	}{
		{"one move", []Load{load(1, 9, 100)}, 12},
		{"two into one broker", []Load{load(1, 9, 100), load(2, 9, 100)}, 22},
		{"two apart", []Load{load(1, 9, 100), load(2, 8, 100)}, 12},
		{"what one lane can not use goes to another", []Load{load(1, 9, 100), load(1, 8, 100), load(2, 8, 50)}, 22},
		{"nothing to copy", []Load{load(1, 9, 0)}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := f.run(c.loads, atOnce); got.finish != c.want {
				t.Errorf("finished at %v s, want %v", got.finish, c.want)
			}
		})
	}
}
