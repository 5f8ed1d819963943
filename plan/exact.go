package plan

import "cmp"

// Small drains are solved to the end: with a few slots all ways to place them
// can be looked at, but for those that a part of the way shows to be no better.
// The order of what is better is that of planning: how many have a place, the
// time beyond the budget, topic excess, the fullest disk, how even the disks
// are, how even the numbers of replicas are.

const (
	mostExactSlots = 8
	mostExactSteps = 200_000 // some ten milliseconds; what is best by then is taken
)

// score tells two placements apart, in the order of its fields. Less is better.
type score struct {
	unplaced int
	time     float64 // of the busiest broker, at least the budget
	excess   int
	fullest  float64
	fills    float64 // sum of squares
	crowding int64   // sum of the squares of replica counts
}

func (a score) compare(b score) int {
	return cmp.Or(
		cmp.Compare(a.unplaced, b.unplaced), cmp.Compare(a.time, b.time), cmp.Compare(a.excess, b.excess),
		cmp.Compare(a.fullest, b.fullest), cmp.Compare(a.fills, b.fills), cmp.Compare(a.crowding, b.crowding),
	)
}

// exact replaces the placement by the best there is, if there are few slots.
func (d *drain) exact(budget float64) {
	if len(d.slots) > mostExactSlots {
		return
	}
	e := exact{drain: d}
	for i := range d.slots {
		if s := &d.slots[i]; (s.reason == placed || s.reason == full) && len(d.groups.racks[s.racks]) > 0 {
			e.open = append(e.open, s)
		}
	}
	e.to = make([]int32, len(e.open))
	for k, s := range e.open {
		if e.to[k] = s.to; s.to >= 0 {
			d.lift(s)
		}
	}
	start := e.start(budget)
	e.best = e.replay(start)
	e.search(0, start)
	e.settle()
}

type exact struct {
	*drain
	open  []*slot
	best  score
	to    []int32 // the best place of each, or -1
	steps int
}

// start is the score of nothing placed yet.
func (e *exact) start(budget float64) score {
	sc := score{time: budget}
	for at := range e.nodes {
		if n := &e.nodes[at]; n.eligible && !n.unknown {
			sc.time, sc.fullest = max(sc.time, n.load(0)), max(sc.fullest, n.fill(0))
		}
	}
	return sc
}

// replay scores the placement that there was.
func (e *exact) replay(sc score) score {
	for k, s := range e.open {
		sc = e.after(sc, s, e.to[k])
		if e.to[k] >= 0 {
			e.putIn(s, e.to[k], int32(e.disks[e.to[k]].next()))
		}
	}
	sc = e.whole(sc)
	for _, s := range e.open {
		if s.to >= 0 {
			e.lift(s)
		}
	}
	return sc
}

// after is the score once the slot is on a node, -1 for nowhere: as far as it
// can be told, and no more than that of any placement that goes on from there.
func (e *exact) after(sc score, s *slot, at int32) score {
	if at < 0 {
		sc.unplaced++
		return sc
	}
	n := &e.nodes[at]
	sc.time, sc.fullest = max(sc.time, n.load(s.size)), max(sc.fullest, n.fill(s.size))
	if e.spread.count(s.topic, at) >= e.spread.fair[s.topic] {
		sc.excess++
	}
	return sc
}

// whole adds what only a whole placement tells.
func (e *exact) whole(sc score) score {
	for at := range e.nodes {
		if n := &e.nodes[at]; n.eligible && !n.unknown {
			sc.fills += n.fill(0) * n.fill(0)
			sc.crowding += int64(n.replicas) * int64(n.replicas)
		}
	}
	return sc
}

func (e *exact) search(k int, sc score) {
	if e.steps++; e.steps > mostExactSteps || sc.compare(e.best) >= 0 {
		return
	}
	if k == len(e.open) {
		e.steps += len(e.nodes) / 8 // a look at all of them
		if sc = e.whole(sc); sc.compare(e.best) < 0 {
			e.best = sc
			for j, s := range e.open {
				e.to[j] = s.to
			}
		}
		return
	}
	s := e.open[k]
	for _, r := range e.groups.racks[s.racks] {
		for _, at := range e.racks[r].eligible {
			if s.size <= e.nodes[at].fits && e.mayTake(s, at) {
				next := e.after(sc, s, at)
				e.putIn(s, at, int32(e.disks[at].next()))
				e.search(k+1, next)
				e.lift(s)
			}
		}
	}
	e.search(k+1, e.after(sc, s, -1))
}

// settle puts each slot in the best place.
func (e *exact) settle() {
	for k, s := range e.open {
		if at := e.to[k]; at >= 0 {
			e.put(s, at)
			s.reason = placed
		} else {
			s.reason = full
		}
	}
}
