package plan

import "math"

// low are the nodes of a rack with the fewest replicas of a topic. Where every node
// has some, as with the largest topics, these are the next to get one, and they are
// the same for slot after slot.
type low struct {
	level int32 // every other eligible node of the rack has more
	asked int   // how often since the nodes were listed: so many have got more at most

	nodes []int32 // on the level
	under []int32 // below it: none had room, but one may have some for a smaller slot
}

// mostListed is how many nodes are looked at one by one. Of more the least full has
// room nearly always, and a walk in the order of fill ends soon.
const mostListed = 64

// lowKey is a topic, by row, and a rack.
type lowKey struct{ topic, rack int32 }

// lowOf is what is known of a topic in a rack. Nodes only gain replicas while slots
// are placed; if one loses any, change forgets it.
func (p *spread) lowOf(topic, r int32) *low {
	l := p.lows[lowKey{topic, r}]
	if l == nil {
		l = &low{level: -1}
		p.lows[lowKey{topic, r}] = l
	}
	return l
}

// lowest is the best of the nodes of a rack with more replicas of the topic than
// level. It goes up level by level, as far as it must.
func (d *drain) lowest(s *slot, r, level int32, best candidate) candidate {
	l := d.spread.lowOf(s.topic, r)
	for {
		if l.level > level {
			if best = d.onLevel(s, r, l, best); best.excess <= l.level+1-d.spread.fair[s.topic] {
				return best
			}
		}
		next := d.above(max(level, l.level), s, r)
		if next == math.MaxInt32 {
			return best
		}
		d.gather(l, next, s.topic, r)
	}
}

// above is the next level on which a node has room for the slot.
func (d *drain) above(level int32, s *slot, r int32) int32 {
	row, next := d.spread.row(s.topic), int32(math.MaxInt32)
	for _, at := range d.racks[r].eligible {
		if n := int32(row[at]); n > level && n < next && d.rooms[at] >= s.size {
			next = n
		}
	}
	return next
}

// gather lists the nodes up to a level.
func (d *drain) gather(l *low, level, topic, r int32) {
	row := d.spread.row(topic)
	l.level, l.asked, l.nodes, l.under = level, 0, l.nodes[:0], l.under[:0]
	for _, at := range d.racks[r].eligible {
		switch n := int32(row[at]); {
		case n == level:
			l.nodes = append(l.nodes, at)
		case n < level:
			l.under = append(l.under, at)
		}
	}
}

// onLevel is the best of the nodes on the level or below.
func (d *drain) onLevel(s *slot, r int32, l *low, best candidate) candidate {
	excess := l.level + 1 - d.spread.fair[s.topic]
	if l.under, best = d.among(s, r, l.level, l.under, best); best.excess < excess {
		return best
	}
	if l.asked++; len(l.nodes)-l.asked > mostListed {
		return d.walk(s, r, l.level, excess, best)
	}
	l.nodes, best = d.among(s, r, l.level, l.nodes, best)
	l.asked = 0
	return best
}

// among is the best of some nodes. Those that are over the level by now are struck
// off the list.
func (d *drain) among(s *slot, r, level int32, nodes []int32, best candidate) ([]int32, candidate) {
	row, fair, gain := d.spread.row(s.topic), d.spread.fair[s.topic], d.racks[r].gain(s)
	still := nodes[:0]
	for _, at := range nodes {
		n := int32(row[at])
		if n > level {
			continue
		}
		still = append(still, at)
		excess := n + 1 - fair
		if d.rooms[at] < s.size || excess > best.excess || excess == best.excess && d.fills[at]+gain > best.fill {
			continue
		}
		best = d.compare(s, at, excess, best)
	}
	return still, best
}
