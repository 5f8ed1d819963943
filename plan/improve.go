package plan

import "slices"

// improve lowers what comes into the busiest broker while it is over the budget
// of time: by one slot that goes elsewhere, else by two slots that change
// places. Placing by size leaves little to do; what it leaves are a few large
// items that block each other.
func (d *drain) improve() {
	i := improver{drain: d, by: d.slotsByNode(), effort: mostEffort}
	for i.effort > 0 && i.step() {
	}
}

// mostEffort bounds the pairs of slots that improve looks at, and with it its
// time: about a tenth of a second.
const mostEffort = 10_000_000

// tolerated is the part of the budget that is not worth changing anything for: a
// bound is met to the byte by no placement of large items.
const tolerated = 1000

type improver struct {
	*drain
	by     [][]int32 // slots by node
	effort int
}

func (d *drain) slotsByNode() [][]int32 {
	by := make([][]int32, len(d.nodes))
	for i := range d.slots {
		if s := &d.slots[i]; s.to >= 0 && s.reason == placed {
			by[s.to] = append(by[s.to], int32(i))
		}
	}
	return by
}

// step makes the busiest broker less so, or returns false.
func (i *improver) step() bool {
	worst := int32(-1)
	for at := range i.nodes {
		n := &i.nodes[at]
		if n.in > n.limit+n.limit/tolerated && (worst < 0 || n.load(0) > i.nodes[worst].load(0)) {
			worst = int32(at)
		}
	}
	return worst >= 0 && (i.shift(worst) || i.swap(worst))
}

// change is a slot that goes to a node, and one that comes from there if back is
// not negative. most is the load of the busier of the two nodes afterwards.
type change struct {
	slot, to, back int32
	most           float64
}

func (i *improver) shift(worst int32) bool {
	best := change{to: -1, most: i.nodes[worst].load(0)}
	for _, k := range i.by[worst] {
		s := &i.slots[k]
		for _, r := range i.groups.racks[s.racks] {
			i.effort -= len(i.racks[r].eligible)
			for _, at := range i.racks[r].eligible {
				most := max(i.nodes[at].load(s.size), i.nodes[worst].load(-s.size))
				if most < best.most && s.size <= i.nodes[at].fits && i.mayTake(s, at) {
					best = change{k, at, -1, most}
				}
			}
		}
	}
	return i.apply(worst, best)
}

func (i *improver) swap(worst int32) bool {
	best := change{to: -1, most: i.nodes[worst].load(0)}
	for _, k := range i.by[worst] {
		s := &i.slots[k]
		for _, r := range i.groups.racks[s.racks] {
			for _, at := range i.racks[r].eligible {
				if at != worst && i.nodes[at].load(0) < best.most {
					best = i.swapWith(worst, k, at, best)
				}
			}
		}
	}
	return i.apply(worst, best)
}

// swapWith is the best change of slot k with one of another node.
func (i *improver) swapWith(worst, k, at int32, best change) change {
	s := &i.slots[k]
	i.effort -= len(i.by[at])
	for _, back := range i.by[at] {
		other := &i.slots[back]
		gain := s.size - other.size
		if gain <= 0 {
			continue
		}
		most := max(i.nodes[at].load(gain), i.nodes[worst].load(-gain))
		if most < best.most && i.allowed(other, worst) && i.mayTake(s, at) && i.mayTake(other, worst) && i.haveRoom(s, other) {
			best = change{k, at, back, most}
		}
	}
	return best
}

// haveRoom says that there is room for both if a slot changes places with a smaller
// one. With several log dirs it is tried: what one leaves free is none in another.
func (d *drain) haveRoom(large, small *slot) bool {
	at, to := large.to, small.to
	if len(d.disks[at].volumes) < 2 && len(d.disks[to].volumes) < 2 {
		return large.size-small.size <= d.nodes[to].fits
	}
	was, dir := large.dir, small.dir
	d.lift(large)
	d.lift(small)
	room := large.size <= d.nodes[to].fits && small.size <= d.nodes[at].fits
	d.putIn(large, at, was)
	d.putIn(small, to, dir)
	return room
}

// allowed says that the node is in a rack that the slot may go to.
func (d *drain) allowed(s *slot, at int32) bool {
	return slices.Contains(d.groups.racks[s.racks], d.nodes[at].rack)
}

// mayTake says that the node does not hold the slot's partition, nor its rack
// one that must be elsewhere.
func (d *drain) mayTake(s *slot, at int32) bool {
	t := &d.tasks[s.task]
	return !d.holds(t, at) && !d.siblingIn(t, s, d.nodes[at].rack)
}

func (i *improver) apply(worst int32, c change) bool {
	if c.to < 0 {
		return false
	}
	i.take(c.slot)
	if c.back >= 0 {
		i.take(c.back)
		i.give(c.back, worst)
	}
	i.give(c.slot, c.to)
	return true
}

// take lifts a slot from its node.
func (i *improver) take(k int32) {
	s := &i.slots[k]
	from := s.to
	at := slices.Index(i.by[from], k)
	list := i.by[from]
	list[at] = list[len(list)-1]
	i.by[from] = list[:len(list)-1]
	i.lift(s)
	i.sift(from)
}

func (i *improver) give(k, to int32) {
	i.put(&i.slots[k], to)
	i.by[to] = append(i.by[to], k)
}
