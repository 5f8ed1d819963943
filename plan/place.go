package plan

import "math"

// place gives each slot a node, or a reason why there is none.
func (d *drain) place() {
	for _, i := range d.order() {
		s := &d.slots[i]
		racks := d.groups.racks[s.racks]
		at := d.choose(s, racks)
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
}

// candidate is a node that a slot might go to.
type candidate struct {
	at       int32
	excess   int32
	fill     float64
	replicas int32
}

// choose returns the best node that is within the budget of time, or -1: the
// one where the topic is least in excess, then the one whose disk ends least
// full, then the one with the fewest replicas, then the lowest ID. All brokers
// of all allowed racks compete, since the least loaded rack first, or a few
// candidates only, cost several times the excess.
func (d *drain) choose(s *slot, racks []int32) int32 {
	best := candidate{at: -1, excess: math.MaxInt32, fill: math.Inf(1)}
	t := &d.tasks[s.task]
	row, fair := d.spread.row(s.topic), d.spread.fair[s.topic]
	for _, r := range racks {
		if d.siblingIn(t, s, r) {
			continue
		}
		for _, at := range d.racks[r].eligible {
			excess := max(0, int32(row[at])+1-fair)
			n := &d.nodes[at]
			if excess > best.excess || n.in+s.size > n.limit || s.size > n.fits {
				continue
			}
			c := candidate{at, excess, n.fill(s.size), n.replicas}
			if d.better(c, best) && !d.holds(t, at) {
				best = c
			}
		}
	}
	return best.at
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
	return candidate{at, d.spread.excess(s.topic, at), n.fill(s.size), n.replicas}
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
	n, k := &d.nodes[at], &d.disks[at]
	s.to, s.dir = at, int32(k.next())
	k.add(int(s.dir), s.size, 1)
	n.fits = k.fits()
	n.in += s.size
	n.coming++
	n.replicas++
	grow(&d.spread.row(s.topic)[at])
}

// lift takes a placed slot back.
func (d *drain) lift(s *slot) {
	n, k := &d.nodes[s.to], &d.disks[s.to]
	k.add(int(s.dir), -s.size, -1)
	n.fits = k.fits()
	n.in -= s.size
	n.coming--
	n.replicas--
	d.spread.row(s.topic)[s.to]--
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
