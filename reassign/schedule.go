package reassign

import (
	"cmp"
	"math"
	"slices"
)

// Admit returns which of the waiting moves may start now, as indexes into
// waiting, the most urgent first.
//
// A move starts when every lane it uses is open. A lane is open while it has
// fewer than Limits.Min moves, or fewer than its most and less than a window of
// bytes. Windows are kept for each lane, not for the cluster: a global one
// fills up with moves that wait for the same broker while others idle. The
// order is by the lane that will be busy longest, so that what ends last is
// small and where there is slack.
func Admit(waiting, inFlight []Load, l Limits) []int {
	w := survey(waiting, inFlight, l)
	var admitted []int
	for _, i := range w.order(waiting) {
		if len(inFlight)+len(admitted) >= l.Cluster {
			break
		}
		if w.open(waiting[i]) {
			w.take(waiting[i])
			admitted = append(admitted, i)
		}
	}
	return admitted
}

// windows is what is in flight and what remains on each lane.
type windows struct {
	limits Limits
	lanes  map[Lane]*lane
	bound  float64 // seconds until the busiest lane is done
}

type lane struct {
	rate      int64
	remaining int64 // bytes of all moves, waiting and in flight
	moves     int   // in flight
	bytes     int64 // left in flight
	alone     bool  // a move is in flight that sets the bound
	idle      bool
	sources   []int32 // leaders of the moves in flight; only where it receives
}

func survey(waiting, inFlight []Load, l Limits) *windows {
	w := &windows{limits: l, lanes: map[Lane]*lane{}}
	for _, loads := range [][]Load{waiting, inFlight} {
		for _, load := range loads {
			load.lanes(func(at Lane, bytes int64) { w.lane(at).remaining += bytes })
		}
	}
	for _, ln := range w.lanes {
		w.bound = max(w.bound, seconds(ln.remaining, ln.rate))
	}
	for _, load := range inFlight {
		w.take(load)
	}
	return w
}

func (w *windows) lane(at Lane) *lane {
	ln := w.lanes[at]
	if ln == nil {
		ln = &lane{rate: w.limits.Rate(at)}
		ln.idle = w.limits.Idle != nil && w.limits.Idle(at)
		w.lanes[at] = ln
	}
	return ln
}

// seconds is how long bytes take at a rate. Without one they count little, but
// still in proportion.
func seconds(bytes, rate int64) float64 {
	if rate == 0 {
		return float64(bytes) / 1e12
	}
	return float64(bytes) / float64(rate)
}

// take puts a move in flight.
func (w *windows) take(l Load) {
	l.lanes(func(at Lane, bytes int64) {
		ln := w.lane(at)
		ln.moves++
		ln.bytes += bytes
		ln.idle = false
		ln.alone = ln.alone || w.huge(bytes, ln)
		if !at.Sends && !slices.Contains(ln.sources, l.Source) {
			ln.sources = append(ln.sources, l.Source)
		}
	})
}

// huge says that the bytes alone are nearly all of the bound. Whatever runs
// beside them takes bandwidth away from what will end last, so nothing does.
func (w *windows) huge(bytes int64, ln *lane) bool {
	return w.bound > w.limits.Window.Seconds() && ln.rate > 0 && seconds(bytes, ln.rate) > 0.9*w.bound
}

func (w *windows) open(l Load) bool {
	open := true
	l.lanes(func(at Lane, _ int64) {
		ln := w.lane(at)
		open = open && w.room(ln) && (at.Sends || w.mayFeed(ln, l.Source))
	})
	return open
}

func (w *windows) room(ln *lane) bool {
	most := w.limits.most(ln.rate)
	switch {
	case ln.alone || ln.moves >= most:
		return false
	case ln.moves < w.limits.Min || ln.rate == 0 || ln.idle:
		return true
	}
	return ln.bytes < w.limits.bytes(ln.rate)
}

func (w *windows) mayFeed(ln *lane, source int32) bool {
	return len(ln.sources) < w.limits.sources(ln.rate) || slices.Contains(ln.sources, source)
}

// order sorts the indexes of waiting: longest remaining lane first, nearly
// equal ones by size.
func (w *windows) order(waiting []Load) []int {
	type rank struct {
		index int
		last  bool
		step  int // of two percent
		left  int64
	}
	ranks := make([]rank, len(waiting))
	for i, l := range waiting {
		var longest float64
		l.lanes(func(at Lane, _ int64) {
			longest = max(longest, seconds(w.lane(at).remaining, w.lane(at).rate))
		})
		ranks[i] = rank{i, l.Last, step(longest), l.Left}
	}
	slices.SortFunc(ranks, func(a, b rank) int {
		if a.last != b.last {
			if a.last {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(b.step, a.step), cmp.Compare(b.left, a.left), cmp.Compare(a.index, b.index))
	})
	order := make([]int, len(ranks))
	for i, r := range ranks {
		order[i] = r.index
	}
	return order
}

// step numbers the times that are within two percent of each other alike. Two
// that differ less may still fall into neighbouring steps; a comparison in
// pairs would not be an order.
func step(seconds float64) int {
	if seconds <= 0 {
		return math.MinInt
	}
	return int(math.Floor(math.Log(seconds) / math.Log(1.02)))
}
