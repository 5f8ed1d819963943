package e2e_test

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestKilledAtRandom kills drains of a real broker with SIGKILL at moments drawn
// by lot, spread over all phases: each is run again, ends with 0, stops the
// broker once and leaves nothing behind. One in three is killed again while it
// resumes.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	c := startSmall(t)
	eachSeed(t, func(t *testing.T, seed int, random *rand.Rand) {
		topics := giveReplicas(c, seed)
		p := newPlace(t)
		before, stops := c.Describe(), c.StopRuns(1)
		args := []string{"run", p.runbook(slowStopRunbook(t, c)), "--yes", "--output", "json"}
		kinds := recordKinds
		if mishaps() < len(kinds) { // a few only: one of them while the stop command runs
			kinds = []string{"submit", "child", "owe"}
		}
		at := moment{kinds[seed%len(kinds)], time.Duration(random.IntN(1000)) * time.Millisecond}
		killed := p.start(args...).kill(t, at)
		t.Logf("killed %v: %v", at, killed)
		if seed%3 == 0 {
			again := moment{"resume", time.Duration(random.IntN(3000)) * time.Millisecond}
			t.Logf("and killed %v: %v", again, p.start(args...).kill(t, again))
		}
		r := p.drain(args...)
		r.want(t, 0)
		judgeDrained(t, c, before)
		if runs := c.StopRuns(1) - stops; runs != 1 {
			t.Errorf("the stop command ran %d times, want once\n%s", runs, timeline(r.stdout))
		}
		bringBack(t, c, topics)
	})
}
