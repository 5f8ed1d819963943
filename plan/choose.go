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

// chooseIn looks for a node of a rack at the lowest level, which is that of the
// fewest replicas of the topic, and nearly always finds one there.
func (d *drain) chooseIn(s *slot, r, floor int32, best candidate) candidate {
	fair := d.spread.fair[s.topic]
	level := max(0, floor+fair-1) // up to so many replicas all count as floor
	if level > 0 || d.spread.maybeBare(s.topic, r) {
		excess := max(floor, level+1-fair)
		if best = d.walk(s, r, level, excess, best); best.excess <= excess {
			return best
		}
	}
	return d.lowest(s, r, level, best)
}

// gain is the least by which the slot fills a disk of the rack: that of the
// largest one. A node whose fill is not below the best's by so much cannot be less
// full afterwards, so that nobody has to look at it.
func (k *rack) gain(s *slot) float64 {
	const rounding = 1e-12
	return float64(s.size)/float64(k.largest) - rounding
}

// walk is the best of the nodes with no more replicas of the topic than level, in
// the order of fill.
func (d *drain) walk(s *slot, r, level, excess int32, best candidate) candidate {
	if excess > best.excess {
		return best
	}
	rack := &d.racks[r]
	gain := rack.gain(s)
	for _, at := range rack.byFill {
		if d.rooms[at] < s.size {
			continue
		}
		if best.excess <= excess && d.fills[at]+gain > best.fill {
			break
		}
		if !d.spread.over(s.topic, at, level) {
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
