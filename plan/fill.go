package plan

import (
	"cmp"
	"slices"
)

// fillOrder holds the eligible nodes of a rack in the order of their disks'
// fill. Fills and rooms stand beside, so that it can be searched and shifted, and
// nodes that have no room passed over, without a look at the nodes.
type fillOrder struct {
	nodes []int32
	fills []float64
	rooms []int64
}

// sortByFill orders the nodes of each rack.
func (s *survey) sortByFill() {
	for i := range s.nodes {
		s.nodes[i].filled = s.nodes[i].fill(0)
	}
	for r := range s.racks {
		k := &s.racks[r]
		order := slices.Clone(k.eligible)
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(s.nodes[a].filled, s.nodes[b].filled) })
		k.byFill = fillOrder{nodes: order}
		for _, at := range order {
			k.byFill.fills = append(k.byFill.fills, s.nodes[at].filled)
			k.byFill.rooms = append(k.byFill.rooms, s.nodes[at].room())
		}
	}
}

// sift restores the order once the fill of one node has changed.
func (s *survey) sift(at int32) {
	n := &s.nodes[at]
	if n.unknown || !n.eligible {
		return
	}
	was := n.filled
	n.filled = n.fill(0)
	s.racks[n.rack].byFill.move(at, was, n)
}

func (o *fillOrder) move(at int32, was float64, n *node) {
	i, _ := slices.BinarySearch(o.fills, was)
	for o.nodes[i] != at {
		i++
	}
	j, _ := slices.BinarySearch(o.fills, n.filled)
	if j > i {
		j-- // the place that it leaves
		copy(o.nodes[i:j], o.nodes[i+1:j+1])
		copy(o.fills[i:j], o.fills[i+1:j+1])
		copy(o.rooms[i:j], o.rooms[i+1:j+1])
	} else {
		copy(o.nodes[j+1:i+1], o.nodes[j:i])
		copy(o.fills[j+1:i+1], o.fills[j:i])
		copy(o.rooms[j+1:i+1], o.rooms[j:i])
	}
	o.nodes[j], o.fills[j], o.rooms[j] = at, n.filled, n.room()
}
