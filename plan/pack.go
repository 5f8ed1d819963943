package plan

import "slices"

// mostPacked bounds the slots that are looked at in search of room, and with it the
// time: about a tenth of a second.
const mostPacked = 1_000_000

// pack is for slots without an ordinary place, if they are few: the room is there
// and lies in pieces, as slots were placed for balance and not to fill the disks. One
// that was placed goes elsewhere, or two change places. That costs some balance only,
// and so it comes before all last resorts.
func (d *drain) pack() {
	var stuck []int32
	for _, k := range d.order() {
		if reason := d.slots[k].reason; reason != placed && reason != tooFew {
			stuck = append(stuck, k)
		}
	}
	if len(stuck) == 0 || len(stuck) > mostHelped {
		return
	}
	p := packer{improver{drain: d, by: d.slotsByNode(), effort: mostPacked}}
	for _, k := range stuck {
		p.fit(k)
	}
}

// packer works on the slots by node, as improving does.
type packer struct{ improver }

// fit finds an ordinary place for a slot, if others can make it.
func (p *packer) fit(k int32) {
	s := &p.slots[k]
	at, dir, reason := s.to, s.dir, s.reason
	if at >= 0 {
		p.lift(s)
		p.sift(at)
	}
	s.reason = placed
	if home := p.home(s); home >= 0 {
		p.put(s, home)
		p.by[home] = append(p.by[home], k)
		return
	}
	for _, r := range p.groups.racks[s.racks] {
		for _, to := range p.racks[r].eligible {
			if p.effort > 0 && p.mayTake(s, to) && p.makeRoom(k, to) {
				return
			}
		}
	}
	if s.reason = reason; at >= 0 {
		p.putIn(s, at, dir)
		p.sift(at)
	}
}

// makeRoom puts slot k on a node from which another goes, the smallest that will do.
func (p *packer) makeRoom(k, at int32) bool {
	for _, j := range slices.Backward(p.by[at]) {
		other := &p.slots[j]
		dir := other.dir
		p.lift(other)
		if p.nodes[at].fits >= p.slots[k].size && (p.displace(k, j, at) || p.swap(k, j, at)) {
			return true
		}
		p.putIn(other, at, dir)
		p.sift(at)
		if p.effort--; p.effort < 0 {
			return false
		}
	}
	return false
}

// displace puts slot k on a node that slot j has left, if j finds another place.
func (p *packer) displace(k, j, at int32) bool {
	p.put(&p.slots[k], at)
	if to := p.home(&p.slots[j]); to >= 0 {
		p.move(k, -1, at)
		p.move(j, at, to)
		p.put(&p.slots[j], to)
		return true
	}
	p.lift(&p.slots[k])
	return false
}

// swap puts slot k on a node that slot j has left, if j finds room where a smaller
// one makes it, which then goes elsewhere: to the same node, often.
func (p *packer) swap(k, j, at int32) bool {
	other := &p.slots[j]
	for _, r := range p.groups.racks[other.racks] {
		for _, to := range p.racks[r].eligible {
			if to == at || !p.mayTake(other, to) {
				continue
			}
			for _, i := range p.by[to] {
				if p.effort--; p.effort < 0 {
					return false
				}
				if p.slots[i].size < other.size && p.change(k, j, i, at, to) {
					return true
				}
			}
		}
	}
	return false
}

// change has slot k come to a node, slot j from there to a second one, and slot i
// from there to any, if there is room for all.
func (p *packer) change(k, j, i, at, to int32) bool {
	s, other, back := &p.slots[k], &p.slots[j], &p.slots[i]
	dir := back.dir
	p.lift(back)
	if p.nodes[to].fits >= other.size {
		p.put(other, to)
		p.put(s, at)
		if home := p.home(back); home >= 0 {
			p.move(k, -1, at)
			p.move(j, at, to)
			p.move(i, to, home)
			p.put(back, home)
			return true
		}
		p.lift(s)
		p.lift(other)
	}
	p.putIn(back, to, dir)
	p.sift(to)
	return false
}

// move notes that a slot has come from one node, -1 for none, to another.
func (p *packer) move(k, from, to int32) {
	if from >= 0 {
		p.by[from] = slices.DeleteFunc(p.by[from], func(i int32) bool { return i == k })
	}
	p.by[to] = append(p.by[to], k)
}
