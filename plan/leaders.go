package plan

import "slices"

// prefer decides who is first in the list of each moved partition afterwards.
// A preferred leader that stays, stays. The others go to the least-led of the
// partition's replicas, the new ones included: with survivors only, leaders
// drift out of the drained broker's rack. Further looks hand single
// partitions on from a broker that leads more to one that leads fewer, until
// nothing is gained, and the last evens what only chains of changes do.
func (d *drain) prefer() {
	s := d.succession()
	const mostRounds = 50 // it ends by itself much sooner: each change evens the counts
	for range mostRounds + 1 {
		if !s.round() {
			break
		}
	}
	s.handOn()
	for i, at := range s.chosen {
		d.tasks[s.tasks[i]].preferred = at
	}
}

// succession is who may become the preferred leader of which task, in arrays of
// their own: the rounds go over them again and again.
type succession struct {
	tasks  []int32
	heirs  []int32 // nodes, task by task
	ends   []int32 // of the heirs of each task
	chosen []int32 // node of each task, or -1
	led    []int32 // partitions that name a node first
}

func (d *drain) succession() *succession {
	s := &succession{}
	for i := range d.tasks {
		t := &d.tasks[i]
		if t.dropped || !d.losesFirst(t) || d.preferSaved(t) {
			continue
		}
		s.tasks = append(s.tasks, int32(i))
		s.heirs = d.appendHeirs(s.heirs, t)
		s.ends = append(s.ends, int32(len(s.heirs)))
	}
	s.chosen = slices.Repeat([]int32{-1}, len(s.tasks))
	for i := range d.nodes {
		s.led = append(s.led, d.nodes[i].preferred)
	}
	return s
}

// round makes the least-led heir of each task the preferred leader where that
// evens the counts, and says whether it did anywhere.
func (s *succession) round() bool {
	changed := false
	for i, was := range s.chosen {
		if at := s.leastLed(s.heirsOf(int32(i)), was); at != was {
			if was >= 0 {
				s.led[was]--
			}
			s.led[at]++
			s.chosen[i], changed = at, true
		}
	}
	return changed
}

// leastLed is the heir that leads the fewest. The one that was chosen counts the
// task as its own: another must lead two fewer for the change to even anything.
func (s *succession) leastLed(heirs []int32, was int32) int32 {
	best := was
	for _, at := range heirs {
		own := int32(0)
		if best == was {
			own = 1
		}
		if best < 0 || s.led[at]+own < s.led[best] {
			best = at
		}
	}
	return best
}

// appendHeirs appends the nodes that may become the preferred leader: the new
// replicas, and the survivors that could lead now.
func (d *drain) appendHeirs(list []int32, t *task) []int32 {
	for _, s := range d.slotsOf(t) {
		list = append(list, s.to)
	}
	leaders := d.leadersOf(t)
	if len(leaders) > 0 && d.nodes[leaders[0]].drained { // alone, as nobody else could
		return list
	}
	return append(list, leaders...)
}

// replacement is the node that takes place k of the list, or -1 if who is there
// stays.
func (d *drain) replacement(t *task, k int) int32 {
	for _, s := range d.slotsOf(t) {
		if s.place == int32(k) {
			return s.to
		}
	}
	return -1
}
