package reassign

import (
	"testing"
	"time"
)

// bar is what the scheduler is held to on a shape (planning.md D.3).
var bars = map[string]float64{"M": 1.05, "B": 1.05, "B, 5 brokers": 1.08, "L": 1.05, "T": 1.05}

// In the model of planning.md C.1: near the bound, far ahead of batches with a
// barrier, no worse than everything at once, and never over a window.
func TestSchedulerAgainstNaivePolicies(t *testing.T) {
	t.Parallel()
	const rate = 50e6
	f := fluid{rate: rate, settle: 2 * time.Second, poll: time.Second, grow: 1 / (72 * time.Hour).Seconds()}
	barrier := f
	barrier.poll = 10 * time.Second
	for _, s := range shapes {
		if testing.Short() && s.drained > 1 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			loads := s.loads()
			ours := f.run(loads, lanesPolicy(rate))
			all := f.run(loads, atOnce)
			batched := barrier.run(loads, batches(50))
			t.Logf("finish over bound: %.3f (%d in flight, %d on a lane), at once %.3f (%d), batches of 50 %.2f",
				ours.ratio(), ours.most, ours.mostLane, all.ratio(), all.most, batched.ratio())
			if ours.ratio() > bars[s.name] {
				t.Errorf("finish is %.3f of the bound, want at most %.2f", ours.ratio(), bars[s.name])
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

// The other ways that planning.md C.3 compares, on the shapes that tell them
// apart: a global window leaves lanes idle, a fixed number for each broker is
// slow where partitions are tiny.
func TestOtherWaysAreSlower(t *testing.T) {
	t.Parallel()
	const rate = 50e6
	f := fluid{rate: rate, settle: 2 * time.Second, poll: time.Second, grow: 1 / (72 * time.Hour).Seconds()}
	slow := f
	slow.poll = 10 * time.Second
	for _, c := range []struct {
		shape int
		name  string
		f     fluid
		pick  policy
		worse float64
	}{
		{1, "batches of 200", slow, batches(200), 2},
		{1, "a global window of 50", f, globalWindow(50), 1.4},
		{1, "a global window of 200", f, globalWindow(200), 1.1},
		{4, "five for each broker", slow, perBroker(5), 3},
	} {
		s := shapes[c.shape]
		t.Run(s.name+", "+c.name, func(t *testing.T) {
			t.Parallel()
			loads := s.loads()
			ours, theirs := f.run(loads, lanesPolicy(rate)), c.f.run(loads, c.pick)
			t.Logf("%.3f against %.3f", theirs.ratio(), ours.ratio())
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
