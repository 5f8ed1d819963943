package reassign

import "time"

// pause is how long to wait for the next look after one that took so long: a
// poll from look to look. The next comes sooner where something is about to
// show: what was changed, or the end of a move, after which a lane would idle;
// but not sooner than a quarter of a poll.
func (r *run) pause(took time.Duration) time.Duration {
	least := r.opts.Poll / 4
	wait := r.opts.Poll
	if r.changed {
		r.changed, wait = false, least
	}
	users := map[Lane]int64{}
	flying := r.moving()
	for _, t := range flying {
		t.lanes(func(at Lane) { users[at]++ })
	}
	for _, t := range flying {
		if t.quiet < lively*r.opts.Poll { // one that is stuck ends nothing
			wait = min(wait, r.ends(t, users))
		}
	}
	return max(wait-took, least/2)
}

// lively is for how many polls a move may be without progress and still be
// expected to end.
const lively = 5

// ends is how long a move needs at its share of the slowest of its lanes. What
// runs without a throttle is over soon, or not to be foretold.
func (r *run) ends(t *track, users map[Lane]int64) time.Duration {
	if r.rate == 0 || t.left <= 0 || t.joined() || !t.since.IsZero() {
		return r.opts.Poll / 4
	}
	var longest float64
	t.lanes(func(at Lane) {
		longest = max(longest, seconds(t.left*users[at], r.rates(at)))
	})
	return max(time.Duration(longest*float64(time.Second)), r.opts.Poll/4)
}

// lanes calls f for each lane that the move uses.
func (t *track) lanes(f func(Lane)) {
	Load{Source: t.state.Leader, Dests: t.To}.lanes(func(at Lane, _ int64) { f(at) })
}
