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
	for _, i := range w.order() {
		if len(inFlight)+len(admitted) >= l.Cluster {
			break
		}
		if w.open(w.loads[i]) {
			w.take(w.loads[i])
			admitted = append(admitted, i)
		}
	}
	return admitted
}

// windows is what is in flight and what remains on each lane.
type windows struct {
	limits Limits
	lanes  map[Lane]*lane
	loads  []laden // the waiting ones, in their order
	bound  float64 // seconds until the busiest lane is done
	few    int     // in flight of those that go a few at a time
}

// lane is what is known of one direction of a broker.
type lane struct {
	rate      int64
	receives  bool
	remaining int64 // bytes of all moves, waiting and in flight
	moves     int   // in flight
	copying   int   // of them, those with bytes left
	bytes     int64 // left in flight
	alone     bool  // a move is in flight that sets the bound
	idle      bool
	sources   []int32 // leaders of the moves in flight, where it receives
}

// laden is a load with its lanes, the source first.
type laden struct {
	Load
	lanes []*lane
}

func survey(waiting, inFlight []Load, l Limits) *windows {
	w := &windows{limits: l, lanes: map[Lane]*lane{}}
	w.loads = w.lade(waiting)
	flying := w.lade(inFlight)
	for _, ln := range w.lanes {
		w.bound = max(w.bound, seconds(ln.remaining, ln.rate))
	}
	for _, load := range flying {
		w.take(load)
	}
	for at, ln := range w.lanes {
		ln.idle = l.Idle != nil && l.Idle(at)
	}
	return w
}

// lade finds the lanes of the loads and adds up what remains on them.
func (w *windows) lade(loads []Load) []laden {
	all := make([]laden, len(loads))
	lanes := make([]*lane, 0, 2*len(loads))
	for i, l := range loads {
		first := len(lanes)
		l.lanes(func(at Lane, bytes int64) {
			ln := w.lane(at)
			ln.remaining += bytes
			lanes = append(lanes, ln)
		})
		all[i] = laden{l, lanes[first:len(lanes):len(lanes)]}
	}
	return all
}

func (w *windows) lane(at Lane) *lane {
	ln := w.lanes[at]
	if ln == nil {
		ln = &lane{rate: w.limits.Rate(at), receives: !at.Sends}
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

// bytes is what the load puts on a lane of its own.
func (l laden) bytes(ln *lane) int64 {
	if ln.receives {
		return l.Left
	}
	return l.Left * int64(len(l.Dests))
}

// take puts a move in flight.
func (w *windows) take(l laden) {
	if l.Few {
		w.few++
	}
	for _, ln := range l.lanes {
		bytes := l.bytes(ln)
		ln.moves++
		if bytes > 0 {
			ln.copying++
		}
		ln.bytes += bytes
		ln.idle = false
		ln.alone = ln.alone || w.huge(bytes, ln)
		if ln.receives && !slices.Contains(ln.sources, l.Source) {
			ln.sources = append(ln.sources, l.Source)
		}
	}
}

// huge says that the bytes alone are nearly all of the bound. Whatever runs
// beside them takes bandwidth away from what will end last, so nothing does.
func (w *windows) huge(bytes int64, ln *lane) bool {
	return w.bound > w.limits.Window.Seconds() && ln.rate > 0 && seconds(bytes, ln.rate) > 0.9*w.bound
}

func (w *windows) open(l laden) bool {
	if l.Few && w.few >= w.limits.Few {
		return false
	}
	for _, ln := range l.lanes {
		if !w.room(ln, l.bytes(ln)) || ln.receives && !w.mayFeed(ln, l.Source) {
			return false
		}
	}
	return true
}

// room says that one more move fits on the lane. A move without bytes left only
// settles: it takes a place, but no turn of the quota. One that is over in a
// tenth of a second may go beside a full window, in half of the places: with
// many of them it is their number that takes the time, and it should not all be
// taken at the end.
func (w *windows) room(ln *lane, bytes int64) bool {
	most := w.limits.most(ln.rate)
	least, size := w.limits.Min, w.limits.bytes(ln.rate)
	ahead := w.ahead(ln)
	if ahead < 1 {
		least, size = min(least, 1), int64(float64(size)*ahead)
	}
	switch {
	case ln.alone || ln.moves >= w.limits.Max || ln.copying >= most:
		return false
	case ln.moves < least || ln.rate == 0 || ln.idle && ahead == 1 || ln.bytes < size:
		return true
	}
	return seconds(bytes, ln.rate) < 0.1 && ln.moves < most/2
}

// ahead is the part of the bound that a lane still needs, where that is under a
// half; else 1. A lane that is far ahead gets a smaller window: what it copies
// now takes bandwidth of the other end from lanes that end last, and it can
// catch up later.
func (w *windows) ahead(ln *lane) float64 {
	if need := seconds(ln.remaining, ln.rate); w.bound > w.limits.Window.Seconds() && need < w.bound/2 {
		return need / w.bound
	}
	return 1
}

func (w *windows) mayFeed(ln *lane, source int32) bool {
	return len(ln.sources) < w.limits.sources(ln.rate) || slices.Contains(ln.sources, source)
}

// order lists the waiting loads whose lanes are open, as indexes: the longest
// remaining lane first, nearly equal ones by size. Before all go those that are
// limited in number: each waits for the ones before it, whatever their bytes.
// The others need no place: no lane opens while moves are admitted.
func (w *windows) order() []int {
	type rank struct {
		index int
		last  int // -1: before all others; 1: after them
		step  int // of two percent
		left  int64
	}
	var ranks []rank
	for i, l := range w.loads {
		if !w.open(l) {
			continue
		}
		var longest float64
		for _, ln := range l.lanes {
			longest = max(longest, seconds(ln.remaining, ln.rate))
		}
		r := rank{index: i, step: step(longest), left: l.Left}
		switch {
		case l.Last:
			r.last = 1
		case l.Few:
			r.last = -1
		}
		ranks = append(ranks, r)
	}
	slices.SortFunc(ranks, func(a, b rank) int {
		return cmp.Or(a.last-b.last, cmp.Compare(b.step, a.step), cmp.Compare(b.left, a.left), a.index-b.index)
	})
	order := make([]int, len(ranks))
	for i, r := range ranks {
		order[i] = r.index
	}
	return order
}

// step numbers times that are within two percent of each other alike. Two that
// differ less may still fall into neighbouring steps; a comparison in pairs
// would not be an order.
func step(seconds float64) int {
	if seconds <= 0 {
		return math.MinInt
	}
	return int(math.Floor(math.Log(seconds) / math.Log(1.02)))
}
