package reassign

import (
	"testing"
	"time"

	"drain/plan"
)

func TestPause(t *testing.T) {
	t.Parallel()
	const rate = 1_000_000
	flight := func(left int64, change func(*track)) *track {
		tr := newTrack(plan.Move{Before: []int32{1, 2}, After: []int32{3, 2}, From: []int32{1}, To: []int32{3}})
		tr.stage, tr.left = moving, left
		tr.state = PartitionState{Leader: 1, Replicas: []int32{3, 2, 1}, ISR: []int32{1, 2}}
		if change != nil {
			change(tr)
		}
		return tr
	}
	tests := []struct {
		name     string
		flights  []*track
		changed  bool
		rate     int64
		measured int64 // bytes copied in the last second
		took     time.Duration
		want     time.Duration
	}{
		{name: "nothing is in flight", rate: rate, want: time.Second},
		{name: "the look itself counts", rate: rate, took: 300 * time.Millisecond, want: 700 * time.Millisecond},
		{name: "a look that took longer than a poll is followed by a breath", rate: rate, took: 3 * time.Second, want: 125 * time.Millisecond},
		{name: "leaders were changed", changed: true, rate: rate, want: 250 * time.Millisecond},
		{name: "the end is far", rate: rate, flights: []*track{flight(5*rate, nil)}, want: time.Second},
		{name: "the end is nearer than a poll", rate: rate, flights: []*track{flight(rate/2, nil)}, want: 500 * time.Millisecond},
		{name: "two share the lane", rate: rate, flights: []*track{flight(rate/4, nil), flight(5*rate, nil)}, want: 500 * time.Millisecond},
		{name: "the end is very near", rate: rate, flights: []*track{flight(10, nil)}, want: 250 * time.Millisecond},
		{name: "the last stretch is off the lists", rate: rate, want: 250 * time.Millisecond,
			flights: []*track{flight(5*rate, func(tr *track) { tr.since = time.Unix(1, 0) })}},
		{name: "in sync, and about to complete", rate: rate, want: 250 * time.Millisecond,
			flights: []*track{flight(5*rate, func(tr *track) { tr.state.ISR = []int32{1, 2, 3} })}},
		{name: "one that is stuck ends nothing", rate: rate, want: time.Second,
			flights: []*track{flight(0, func(tr *track) { tr.quiet = time.Minute })}},
		{name: "without a throttle, before anything was measured, it may end at any time", want: 250 * time.Millisecond,
			flights: []*track{flight(5*rate, nil)}},
		{name: "without a throttle, at twice the rate", measured: 2 * rate, want: 500 * time.Millisecond,
			flights: []*track{flight(rate/2, nil), flight(9*rate, nil)}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRun(nil, Options{}.withDefaults())
			r.tracks, r.changed, r.rate = c.flights, c.changed, c.rate
			if c.measured > 0 {
				r.meter.count(time.Unix(9, 0), time.Second, Lane{3, false}, c.measured)
			}
			if got := r.pause(c.took); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if r.changed {
				t.Error("the change is still expected to show")
			}
		})
	}
}
