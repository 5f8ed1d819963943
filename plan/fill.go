package plan

import (
	"cmp"
	"slices"
)

// sortByFill orders the eligible nodes of each rack by the fill of their disks, so
// that few have to be looked at for a slot.
func (s *survey) sortByFill() {
	s.fills, s.rooms = make([]float64, len(s.nodes)), make([]int64, len(s.nodes))
	for i := range s.nodes {
		s.fills[i] = s.nodes[i].fill(0)
	}
	for r := range s.racks {
		k := &s.racks[r]
		k.byFill = slices.Clone(k.eligible)
		slices.SortStableFunc(k.byFill, func(a, b int32) int { return cmp.Compare(s.fills[a], s.fills[b]) })
	}
	s.makeRooms()
}

// makeRooms looks anew at what each node can still get.
func (s *survey) makeRooms() {
	for i := range s.nodes {
		s.rooms[i] = -1 // not even an empty replica
		if n := &s.nodes[i]; n.eligible && !n.unknown {
			s.rooms[i] = n.room()
		}
	}
}

// sift restores the order once the fill of one node has changed.
func (s *survey) sift(at int32) {
	n := &s.nodes[at]
	if n.unknown || !n.eligible {
		return
	}
	was, is := s.fills[at], n.fill(0)
	order := s.racks[n.rack].byFill
	i := s.below(order, was)
	for order[i] != at {
		i++
	}
	if is > was {
		fuller := order[i+1:]
		k := s.below(fuller, is)
		copy(order[i:], fuller[:k])
		order[i+k] = at
	} else {
		k := s.below(order[:i], is)
		copy(order[k+1:], order[k:i])
		order[k] = at
	}
	s.fills[at], s.rooms[at] = is, n.room()
}

// below counts the nodes of an order that are less full.
func (s *survey) below(order []int32, fill float64) int {
	n, _ := slices.BinarySearchFunc(order, fill, func(at int32, fill float64) int { return cmp.Compare(s.fills[at], fill) })
	return n
}
