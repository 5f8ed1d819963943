package plan

import (
	"math"
	"slices"
)

// unknownRisk accepts brokers that did not tell their space as destinations.
const unknownRisk = "space-unknown"

// place gives each slot a node, or a reason why there is none.
func (d *drain) place() {
	order := d.order()
	for _, i := range order {
		d.placeSlot(&d.slots[i])
	}
	d.polish(order)
}

// placeSlot gives one slot a node, or a reason why there is none.
func (d *drain) placeSlot(s *slot) {
	at := d.home(s)
	if at < 0 {
		at = d.unmended(s)
	}
	if at < 0 {
		at = d.lastResort(s)
	}
	if at >= 0 {
		d.put(s, at)
	}
}

// home is the ordinary place of a slot as the others stand, or -1.
func (d *drain) home(s *slot) int32 {
	racks := d.groups.racks[s.racks]
	if at := d.choose(s, racks, noFloor, nobody); at >= 0 {
		return at
	}
	return d.leastLoaded(s, racks)
}

// unmended is for a slot that was to mend an old violation of the racks, where these
// have no place for it: the rack that its replica is in will do, as nothing is worse
// than before.
func (d *drain) unmended(s *slot) int32 {
	was := s.racks
	if !d.keepRack(s) {
		return -1
	}
	at := d.home(s)
	if at < 0 {
		s.racks = was
	}
	return at
}

// keepRack allows a slot the rack that its replica is in, and no other. It says
// whether that is anything new, and loses nothing: a rack that another slot leaves has
// to be taken by one of them.
func (d *drain) keepRack(s *slot) bool {
	own, racks := d.nodes[s.from].rack, d.groups.racks[s.racks]
	left := func(other slot) bool { return slices.Contains(racks, d.nodes[other.from].rack) }
	if !d.racks[own].counts || slices.ContainsFunc(d.slotsOf(&d.tasks[s.task]), left) {
		return false
	}
	s.racks, d.regrouped = d.groups.of(own), true
	return true
}

// setLimits turns the budget of time, in bytes at the request's throttle, into
// the bytes that each broker may receive.
func (d *drain) setLimits(budget float64) {
	for i := range d.nodes {
		n := &d.nodes[i]
		n.limit = int64(math.Floor(budget * n.receives))
	}
	d.makeRooms()
}

// polish looks at each slot once more, now that all others have their place, and
// moves it where its topic is no more in excess and the disk ends less full.
// Placing goes by the plain number of a topic's replicas, which leaves the least
// excess in the end; but below the fair number it does not matter who has one
// more, and the disks may decide. Partitions that get a new preferred leader
// keep their place: who may be it depends on that.
//
// It is left out where it would take long: a drain that large evens the disks
// anyway, as it has enough to place.
func (d *drain) polish(order []int32) {
	const mostSlots = 50_000
	if len(order) > mostSlots {
		return
	}
	for _, i := range order {
		s := &d.slots[i]
		if s.to < 0 || s.reason != placed || d.nodes[s.to].in > d.nodes[s.to].limit || d.losesFirst(&d.tasks[s.task]) {
			continue
		}
		was, dir := s.to, s.dir
		d.lift(s)
		stay := d.candidate(s, was)
		stay.excess = max(stay.excess, 0)
		if at := d.choose(s, d.groups.racks[s.racks], 0, stay); at != was {
			d.put(s, at)
			d.sift(was)
		} else {
			d.putIn(s, was, dir)
		}
	}
}

// losesFirst says that the preferred leader is on a drained broker.
func (d *drain) losesFirst(t *task) bool { return d.slots[t.first].place == 0 }

// leastLoaded is for a slot that no node takes within the budget: the node that
// is done first with it, then as choose.
func (d *drain) leastLoaded(s *slot, racks []int32) int32 {
	t := &d.tasks[s.task]
	best, least := int32(-1), math.Inf(1)
	for _, r := range racks {
		if d.siblingIn(t, s, r) {
			continue
		}
		for _, at := range d.racks[r].eligible {
			n := &d.nodes[at]
			load := n.load(s.size)
			if s.size > n.fits || load > least || d.holds(t, at) {
				continue
			}
			if load < least || d.better(d.candidate(s, at), d.candidate(s, best)) {
				best, least = at, load
			}
		}
	}
	return best
}

// siblingIn says that another slot of the task, which has to take another rack
// than this one, has taken rack r.
func (d *drain) siblingIn(t *task, s *slot, r int32) bool {
	if t.count == 1 {
		return false
	}
	slots := d.slotsOf(t)
	for k := range slots {
		other := &slots[k]
		if other != s && other.to >= 0 && other.tier == s.tier && d.nodes[other.to].rack == r {
			return true
		}
	}
	return false
}

// put places a slot.
func (d *drain) put(s *slot, at int32) {
	d.putIn(s, at, int32(d.disks[at].next()))
	d.sift(at)
}

// putIn places a slot in a log dir. The node keeps its place in the order of
// fill, until sift.
func (d *drain) putIn(s *slot, at, dir int32) {
	n, k := &d.nodes[at], &d.disks[at]
	s.to, s.dir = at, dir
	k.add(int(s.dir), s.size, 1)
	n.fits = k.fits()
	n.in += s.size
	n.coming++
	n.replicas++
	d.spread.change(s.topic, at, 1)
}

// lift takes a placed slot back. The node keeps its place in the order of fill,
// until sift.
func (d *drain) lift(s *slot) {
	n, k := &d.nodes[s.to], &d.disks[s.to]
	k.add(int(s.dir), -s.size, -1)
	n.fits = k.fits()
	n.in -= s.size
	n.coming--
	n.replicas--
	d.spread.change(s.topic, s.to, -1)
	s.to, s.dir = -1, -1
}

// lastResort is for a slot for which the allowed racks have no place. A broker
// without a rack is taken with a warning: nobody knows what it shares with the
// others. A broker that did not tell its space is taken if that risk is
// accepted.
func (d *drain) lastResort(s *slot) int32 {
	if at := d.leastLoaded(s, d.uncounted()); at >= 0 {
		s.reason = rackless
		return at
	}
	at := d.unknownSpace(s)
	if at < 0 {
		s.reason = d.whyNot(s)
		return -1
	}
	s.reason = spaceUnknown
	if !d.r.accepts(unknownRisk) {
		return -1
	}
	return at
}

// uncounted are the brokers without a rack, where others have one.
func (d *drain) uncounted() []int32 {
	if last := len(d.racks) - 1; last >= 0 && !d.racks[last].counts {
		return []int32{int32(last)}
	}
	return nil
}

// unknownSpace is the broker of unknown space, in an allowed rack if there is
// one, that has got the fewest bytes.
func (d *drain) unknownSpace(s *slot) int32 {
	t := &d.tasks[s.task]
	best := int32(-1)
	for _, r := range append(d.uncounted(), d.groups.racks[s.racks]...) {
		if d.siblingIn(t, s, r) {
			continue
		}
		for _, at := range d.racks[r].unknown {
			if (best < 0 || d.nodes[at].in < d.nodes[best].in) && !d.holds(t, at) {
				best = at
			}
		}
	}
	return best
}
