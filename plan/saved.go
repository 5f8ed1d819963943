package plan

import "slices"

// Saved carries out a plan that was made before. The function that it returns
// stands in for [Compute]: findings, totals and bounds are those of the cluster
// as it is now, the targets those of the saved plan.
//
// While nothing of the plan is done, whatever differs is a finding of level
// Block with the risk plan-mismatch: another cluster, other brokers or another
// mode, a partition more or less on the brokers, other replicas, a destination
// that may not receive any more. Once some of it is done or in flight, a
// difference is what a drain has to live with: saved targets are kept where they
// can be, and the rest is planned anew beside them. So it is, too, if the risk is
// accepted.
func Saved(saved Plan) func(Cluster, Request) (Plan, error) {
	return func(c Cluster, r Request) (Plan, error) {
		r.NameDirs = saved.namesDirs()
		p, err := compute(c, r, &saved)
		if err != nil || saved.begun(&c, &r) {
			return p, err
		}
		v := comparison{saved: &saved, now: &p, c: &c, r: &r}
		p.Findings = append(p.Findings, v.differences()...)
		slices.SortStableFunc(p.Findings, CompareFindings)
		return p, nil
	}
}

func (p *Plan) namesDirs() bool {
	return slices.ContainsFunc(p.Moves, func(m Move) bool { return len(m.Dirs) > 0 })
}

// begun says that some of the plan is done, or in flight for this drain.
func (p *Plan) begun(c *Cluster, r *Request) bool {
	return len(r.Own) > 0 || slices.ContainsFunc(p.Moves, func(m Move) bool {
		i, ok := c.Find(m.TopicPartition)
		return ok && len(m.To) > 0 && sameSet(c.Partition(i).Replicas, m.After)
	})
}

// want notes the moves of a saved plan.
func (d *drain) want(saved *Plan) {
	d.wanted = make(map[TopicPartition]*Move, len(saved.Moves))
	for i := range saved.Moves {
		d.wanted[saved.Moves[i].TopicPartition] = &saved.Moves[i]
	}
}

// wish is the saved move of a task whose replicas are as they were, or nil.
func (d *drain) wish(t *task) *Move {
	if d.wanted == nil {
		return nil
	}
	m := d.wanted[d.c.Name(int(t.partition))]
	if m == nil || !slices.Equal(m.Before, d.replicasOf(t)) || remade(d.c, m) {
		return nil
	}
	return m
}

// take puts the slots where the saved plan wants them and they can still go, and
// the rest where there is room. What was taken is not improved upon.
func (d *drain) take() {
	order := d.order()
	for _, i := range order {
		s := &d.slots[i]
		if m := d.wish(&d.tasks[s.task]); m != nil {
			d.takeSlot(s, m)
		}
	}
	for i := range d.tasks {
		if m := d.wish(&d.tasks[i]); m != nil {
			d.takeReader(&d.tasks[i], m)
		}
	}
	for _, i := range order {
		if s := &d.slots[i]; s.to < 0 {
			d.placeSlot(s)
		}
	}
}

// remade says that the topic was deleted since and made again.
func remade(c *Cluster, m *Move) bool {
	t, ok := c.Topic(m.Topic)
	none := [16]byte{}
	return ok && m.TopicID != none && c.Topics[t].ID != none && m.TopicID != c.Topics[t].ID
}

// takeSlot gives a slot its saved place. One that needs a helper is left to be
// placed anew, after the others: the same helper will be found.
func (d *drain) takeSlot(s *slot, m *Move) {
	k := slices.Index(m.From, d.nodes[s.from].id)
	if k < 0 || m.Wave > 0 {
		return
	}
	at := d.index.of(m.To[k])
	if at < 0 {
		return
	}
	was, name := s.racks, ""
	if d.nodes[at].rack == d.nodes[s.from].rack {
		d.keepRack(s)
	}
	if k < len(m.Dirs) {
		name = m.Dirs[k]
	}
	dir, ok := d.disks[at].dirFor(name, s.size)
	if d.nodes[at].unknown {
		dir, ok = -1, d.r.accepts(unknownRisk)
	}
	if ok && d.mayGo(s, at) {
		d.putIn(s, at, int32(dir))
		d.sift(at)
		s.reason = d.resort(at)
		return
	}
	s.racks = was
}

// mayGo says that the node may receive the slot, room aside: not where a rack
// would be lost that need not be. What was a last resort when the plan was made was
// told then.
func (d *drain) mayGo(s *slot, at int32) bool {
	n := &d.nodes[at]
	return n.eligible && d.mayTake(s, at) && (d.allowed(s, at) || slices.Contains(d.uncounted(), n.rack))
}

// resort is the word about a place on a node.
func (d *drain) resort(at int32) reason {
	switch n := &d.nodes[at]; {
	case n.unknown:
		return spaceUnknown
	case slices.Contains(d.uncounted(), n.rack):
		return rackless
	}
	return placed
}

// dirFor is the log dir for a replica that is to go to the one of that name, or
// if none is named, to the one that Kafka will pick: which that is depends on the
// order of the moves, so that another one with room will do.
func (k *disk) dirFor(name string, size int64) (at int, ok bool) {
	roomy := func(e dir) bool { return k.volumes[e.volume].room >= size }
	switch {
	case name != "":
		at = slices.IndexFunc(k.dirs, func(e dir) bool { return e.path == name })
		return at, at >= 0 && roomy(k.dirs[at])
	case k.fits() >= size:
		return k.next(), true
	}
	at = slices.IndexFunc(k.dirs, roomy)
	return at, at >= 0
}

// takeReader has the partition led, while it copies, by whom the saved plan
// wants, if they can.
func (d *drain) takeReader(t *task, m *Move) {
	if at := d.index.of(m.reader()); at >= 0 && slices.Contains(d.leadersOf(t), at) {
		d.readFrom(t, at)
	}
}

// preferSaved makes the preferred leader that of the saved plan, if there is one
// and it can be, and says whether it did.
func (d *drain) preferSaved(t *task) bool {
	m := d.wish(t)
	if m == nil {
		return false
	}
	at := d.index.of(m.LeadsFirst)
	if at < 0 || !slices.Contains(d.appendHeirs(nil, t), at) {
		return false
	}
	t.preferred = at
	d.nodes[at].preferred++
	return true
}
