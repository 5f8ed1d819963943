package plan

import "math"

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
	lowest := max(floor, level+1-d.spread.fair[s.topic])
	for i, at := range rack.byFill.nodes {
		if d.spread.over(s.topic, at, level) {
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
	excess := max(floor, d.spread.count(s.topic, at)+1-d.spread.fair[s.topic])
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

func (d *drain) candidate(s *slot, at int32) candidate {
	n := &d.nodes[at]
	return candidate{at, d.spread.count(s.topic, at) + 1 - d.spread.fair[s.topic], n.fill(s.size), n.replicas}
}
