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

// chooseIn looks at the nodes of a rack level by level, which is by the number of
// replicas that they have of the topic. The lowest level nearly always has a place.
func (d *drain) chooseIn(s *slot, r, floor int32, best candidate) candidate {
	rack, fair := &d.racks[r], d.spread.fair[s.topic]
	level, first := max(0, floor+fair-1), 0 // up to so many replicas all count as floor
	if level == 0 && !d.spread.anyBare(s.topic, r) {
		level, first = d.above(level, s, rack)
	}
	for first >= 0 {
		excess := max(floor, level+1-fair)
		best = d.walk(s, rack, first, level, excess, best)
		if best.excess <= excess {
			break
		}
		level, first = d.above(level, s, rack)
	}
	return best
}

// above is the next level on which a node has room for the slot, and the place of
// the least full one in the order of fill, or -1.
func (d *drain) above(level int32, s *slot, rack *rack) (next int32, first int) {
	order, row := &rack.byFill, d.spread.row(s.topic)
	next, first = math.MaxInt32, -1
	for i, room := range order.rooms {
		if room < s.size {
			continue
		}
		if n := int32(row[order.nodes[i]]); n < next && n > level {
			next, first = n, i
		}
	}
	return next, first
}

// gain is the least by which the slot fills a disk of the rack: that of the
// largest one. A node whose fill is not below the best's by so much cannot be less
// full afterwards, so that nobody has to look at it.
func (k *rack) gain(s *slot) float64 {
	const rounding = 1e-12
	return float64(s.size)/float64(k.largest) - rounding
}

// walk is the best of the nodes with no more replicas of the topic than level, in
// the order of fill from the first one.
func (d *drain) walk(s *slot, rack *rack, first int, level, excess int32, best candidate) candidate {
	if excess > best.excess {
		return best
	}
	order, gain := &rack.byFill, rack.gain(s)
	for i := first; i < len(order.rooms); i++ {
		if order.rooms[i] < s.size {
			continue
		}
		if best.excess <= excess && order.fills[i]+gain > best.fill {
			break
		}
		if at := order.nodes[i]; !d.spread.over(s.topic, at, level) {
			best = d.compare(s, at, excess, best)
		}
	}
	return best
}

// compare is the better of a node with room and the best so far.
func (d *drain) compare(s *slot, at, excess int32, best candidate) candidate {
	n := &d.nodes[at]
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
