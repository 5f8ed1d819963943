package reassign

import (
	"cmp"
	"slices"
	"time"
)

// The last stretch of a move runs off the lists. A copy that has nearly caught
// up and then waits for quota holds back every acks=all write of its partition
// (PART.maybeIncrementLeaderHW); without a throttle it joins the ISR at once.
// What runs unthrottled is rationed for each lane: stretch seconds of its rate
// at a time, and stretchShare of the rate in the long run, so that over any 15 s
// a lane stays well under 1.2 of its throttle.
const (
	stretch      = 0.5 // seconds
	stretchShare = 0.03
	stretchLong  = 5 * time.Second // not in sync after this: back on the lists
)

// ration is the bytes that may run unthrottled on each lane.
type ration map[Lane]float64

// refill gives each lane its share of the time that passed, up to a full one.
func (ra ration) refill(gap time.Duration, rates func(Lane) int64) {
	for at, bytes := range ra {
		rate := float64(rates(at))
		ra[at] = min(bytes+stretchShare*rate*gap.Seconds(), stretch*rate)
	}
}

// left is what a lane may still take; one never asked for has a full ration.
func (ra ration) left(at Lane, rate int64) float64 {
	if _, ok := ra[at]; !ok {
		ra[at] = stretch * float64(rate)
	}
	return ra[at]
}

// stretches takes the moves off the lists that have nearly caught up, those
// with the least left first, as far as the rations go.
func (r *run) stretches(rates func(Lane) int64) {
	if r.rate == 0 {
		return
	}
	r.ration.refill(r.gap, rates)
	near := r.in(func(t *track) bool { return t.stage == moving && t.measured && !t.joined() })
	slices.SortStableFunc(near, func(a, b *track) int { return cmp.Compare(a.left, b.left) })
	for _, t := range near {
		if !t.since.IsZero() {
			if r.view.at.Sub(t.since) > stretchLong {
				t.since = time.Time{}
			}
			continue
		}
		if r.mayStretch(t, rates) {
			t.since = r.view.at
		}
	}
}

func (r *run) mayStretch(t *track, rates func(Lane) int64) bool {
	may := true
	load := Load{Source: t.state.Leader, Dests: t.To, Left: t.left}
	load.lanes(func(at Lane, bytes int64) {
		rate := rates(at)
		may = may && rate > 0 && float64(bytes) <= r.ration.left(at, rate)
	})
	if may {
		load.lanes(func(at Lane, bytes int64) { r.ration[at] -= float64(bytes) })
	}
	return may
}
