package plan

import "math"

// place gives each slot a node, or a reason why there is none.
func (d *drain) place() {
	order := d.order()
	for _, i := range order {
		s := &d.slots[i]
		racks := d.groups.racks[s.racks]
		at := d.choose(s, racks, noFloor, nobody)
		if at < 0 {
			at = d.leastLoaded(s, racks)
		}
		if at < 0 {
			at = d.lastResort(s)
		}
		if at >= 0 {
			d.put(s, at)
		}
	}
	d.polish(order)
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

// candidate is a node that a slot might go to.
type candidate struct {
	at       int32
	excess   int32
	fill     float64
	replicas int32
}

// noFloor lets the plain number of a topic's replicas decide.
const noFloor = math.MinInt32 / 2

var nobody = candidate{at: -1, excess: math.MaxInt32, fill: math.Inf(1)}

// choose returns the best node that is within the budget of time, or -1: the
// one where the topic is least in excess, then the one whose disk ends least
// full, then the one with the fewest replicas, then the lowest ID. An excess
// under floor counts as floor. All brokers of all allowed racks compete, since
// the least loaded rack first, or a few candidates only, cost several times the
// excess. best is the one to beat.
//
// It finds what a scan of all would find, and looks at few.
func (d *drain) choose(s *slot, racks []int32, floor int32, best candidate) int32 {
	t := &d.tasks[s.task]
	for _, r := range racks {
		if !d.siblingIn(t, s, r) {
			best = d.chooseIn(s, r, floor, best)
		}
	}
	return best.at
}

// There are two ways to the best node of a level, which is those with a certain
// number of replicas of the topic. A walk in the order of fill ends early where
// many nodes are on the level; where few are, they are picked out by their
// number.
const pickedPart = 20 // levels under a twentieth of the rack are

// chooseIn looks at a rack, level by level, lowest first.
func (d *drain) chooseIn(s *slot, r, floor int32, best candidate) candidate {
	rack, fair := &d.racks[r], d.spread.fair[s.topic]
	bottom := max(0, floor+fair-1) // up to here all count as floor
	if d.spread.isThin(s.topic, rack) && max(floor, bottom+1-fair) <= best.excess {
		was := best.at
		if best = d.walk(s, rack, bottom, floor, best); best.at != was {
			return best
		}
	}
	levels := d.spread.levelsIn(s.topic, r, rack)
	level := min(bottom, int32(len(levels.brokers)-1))
	brokers := levels.upTo(int(level))
	for ; level < int32(len(levels.brokers)); level++ {
		excess := max(floor, level+1-fair)
		if excess > best.excess {
			break
		}
		was := best.at
		if brokers*pickedPart > len(rack.eligible) {
			best = d.walk(s, rack, level, floor, best)
		} else if brokers > 0 {
			best = d.pick(s, rack, level, floor, best)
		}
		if best.at != was || best.excess == excess {
			break
		}
		brokers = levels.on(int(level) + 1)
	}
	return best
}

// pick is the best of the nodes on a level; all up to it where they count as
// floor.
func (d *drain) pick(s *slot, rack *rack, level, floor int32, best candidate) candidate {
	row := d.spread.row(s.topic)[rack.first:rack.end]
	low := uint16(level)
	if level+1-d.spread.fair[s.topic] <= floor {
		low = 0
	}
	for i, count := range row {
		if count-low <= uint16(level)-low {
			best = d.compare(s, rack.first+int32(i), floor, best)
		}
	}
	return best
}

// walk is the best of the nodes up to a level, in the order of fill. Where nobody
// is below the level but who was looked at in vain, it can end once no one
// further on can be less full afterwards: the largest disk gains least.
func (d *drain) walk(s *slot, rack *rack, level, floor int32, best candidate) candidate {
	const rounding = 1e-12
	gain := float64(s.size)/float64(rack.largest) - rounding
	row, lowest := d.spread.row(s.topic), max(floor, level+1-d.spread.fair[s.topic])
	for i, at := range rack.byFill.nodes {
		if int32(row[at]) > level {
			continue
		}
		if best.excess <= lowest && rack.byFill.fills[i]+gain > best.fill {
			break
		}
		best = d.compare(s, at, floor, best)
	}
	return best
}

// compare is the better of a node and the best so far.
func (d *drain) compare(s *slot, at, floor int32, best candidate) candidate {
	n := &d.nodes[at]
	excess := max(floor, int32(d.spread.row(s.topic)[at])+1-d.spread.fair[s.topic])
	if excess > best.excess || n.in+s.size > n.limit || s.size > n.fits || !n.eligible {
		return best
	}
	c := candidate{at, excess, n.fill(s.size), n.replicas}
	if d.better(c, best) && !d.holds(&d.tasks[s.task], at) {
		return c
	}
	return best
}

func (d *drain) better(a, b candidate) bool {
	switch {
	case b.at < 0:
		return true
	case a.excess != b.excess:
		return a.excess < b.excess
	case a.fill != b.fill:
		return a.fill < b.fill
	case a.replicas != b.replicas:
		return a.replicas < b.replicas
	}
	return d.nodes[a.at].id < d.nodes[b.at].id
}

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

func (d *drain) candidate(s *slot, at int32) candidate {
	n := &d.nodes[at]
	return candidate{at, int32(d.spread.row(s.topic)[at]) + 1 - d.spread.fair[s.topic], n.fill(s.size), n.replicas}
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
	d.spread.change(s.topic, at, n.rack, 1)
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
	d.spread.change(s.topic, s.to, n.rack, -1)
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
	if !d.r.accepts("space-unknown") {
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
