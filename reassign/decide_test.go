package reassign

import (
	"testing"
	"time"

	"drain/plan"
)

// At a low rate three moves at most wait for the quota of a lane. One in its
// last stretch waits for none, so that the fourth starts before it is over.
func TestTheNextMoveStartsBesideALastStretch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		stretch bool
		want    int
	}{
		{"two copy under the throttle", false, 0},
		{"one of them is in its last stretch", true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRun(nil, Options{}.withDefaults())
			r.rate = 1_000_000
			r.view.live = []int32{1, 2, 3, 4, 5}
			for i := range int32(3) {
				r.add(plan.Move{TopicPartition: tp("log", i), Before: []int32{1}, After: []int32{2 + i}, From: []int32{1}, To: []int32{2 + i}, Leader: 1})
				tr := r.tracks[i]
				tr.state = PartitionState{Leader: 1, Replicas: []int32{1}, ISR: []int32{1}}
				tr.stage, tr.left = moving, 2_000_000
			}
			r.tracks[2].stage = waiting
			if c.stretch {
				r.tracks[0].since = time.Unix(1, 0)
			}
			if got := r.admit(&leaders{}); len(got) != c.want {
				t.Errorf("got %v, want %d moves", names(got), c.want)
			}
		})
	}
}
