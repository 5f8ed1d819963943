package plan

// prefer decides who is first in the list of each moved partition afterwards.
// A preferred leader that stays, stays. The others go to the least-led of the
// partition's replicas, the new ones included: with survivors only, leaders
// drift out of the drained broker's rack. A second look then hands single
// partitions on from a broker that leads more to one that leads fewer, until
// nothing is gained.
func (d *drain) prefer() {
	var free []int32
	for i := range d.tasks {
		t := &d.tasks[i]
		if t.dropped || !d.losesFirst(t) || d.preferSaved(t) {
			continue
		}
		free = append(free, int32(i))
		t.preferred = -1
		d.preferLeast(t)
	}
	const mostRounds = 50 // it ends by itself much sooner: each change evens the counts
	for range mostRounds {
		changed := false
		for _, i := range free {
			changed = d.preferLeast(&d.tasks[i]) || changed
		}
		if !changed {
			return
		}
	}
}

// preferLeast makes the least-led replica the preferred one if that evens the
// counts, and says whether it did.
func (d *drain) preferLeast(t *task) bool {
	var buf [8]int32
	best := t.preferred
	for _, at := range d.heirs(t, buf[:]) {
		n := &d.nodes[at]
		if best < 0 || n.preferred+own(best, t) < d.nodes[best].preferred {
			best = at
		}
	}
	if best == t.preferred {
		return false
	}
	if t.preferred >= 0 {
		d.nodes[t.preferred].preferred--
	}
	d.nodes[best].preferred++
	t.preferred = best
	return true
}

// own is 1 while best is the one that the task counts at: another must lead
// two fewer for the change to even anything.
func own(best int32, t *task) int32 {
	if best == t.preferred {
		return 1
	}
	return 0
}

// heirs lists the nodes that may become the preferred leader: the new replicas,
// and the survivors that could lead now.
func (d *drain) heirs(t *task, buf []int32) []int32 {
	buf = buf[:0]
	for _, s := range d.slotsOf(t) {
		buf = append(buf, s.to)
	}
	for _, at := range d.leadersOf(t) {
		if !d.nodes[at].drained {
			buf = append(buf, at)
		}
	}
	return buf
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
