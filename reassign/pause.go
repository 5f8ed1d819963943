package reassign

import (
	"context"
	"time"
)

// lively is for how many polls a move may be without progress and still be
// expected to end.
const lively = 5

// pause is how long to wait for the next look after one that took so long: a
// poll from look to look. The next comes sooner where something is about to
// show, such as the end of a move, after which a lane would idle, but not
// sooner than a quarter of a poll.
func (r *run) pause(took time.Duration) time.Duration {
	wait := r.opts.Poll
	if r.changed {
		r.changed, wait = false, 0
	}
	flying := r.moving()
	users := map[Lane]int64{}
	for _, t := range flying {
		t.lanes(func(at Lane) { users[at]++ })
	}
	for _, t := range flying {
		if t.quiet < lively*r.opts.Poll { // one that is stuck ends nothing
			wait = min(wait, r.ends(t, users, int64(len(flying))))
		}
	}
	wait = max(wait, r.opts.Poll/4)
	return max(wait-took, r.opts.Poll/8)
}

// ends is how long the move still takes at its share of the slowest of its
// lanes or, without a throttle, of what was copied of late by all in flight.
func (r *run) ends(t *track, users map[Lane]int64, flights int64) time.Duration {
	var longest float64
	switch {
	case t.left <= 0 || t.joined() || !t.since.IsZero():
	case r.rate == 0:
		longest = seconds(t.left*flights, r.meter.total())
	default:
		t.lanes(func(at Lane) { longest = max(longest, seconds(t.left*users[at], r.rates(at))) })
	}
	return time.Duration(longest * float64(time.Second))
}

// lanes calls f for each lane that the move uses.
func (t *track) lanes(f func(Lane)) {
	Load{Source: t.state.Leader, Dests: t.To}.lanes(func(at Lane, _ int64) { f(at) })
}

// sleep waits, or returns why ctx ended.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
