package plan

import (
	"fmt"
	"slices"
)

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
	if at < 0 || !d.mayGo(s, at) {
		return
	}
	name := ""
	if k < len(m.Dirs) {
		name = m.Dirs[k]
	}
	if dir, ok := d.disks[at].dirFor(name, s.size); ok {
		d.putIn(s, at, int32(dir))
		d.sift(at)
	}
}

// mayGo says that the node may receive the slot, room aside: not where a rack
// would be lost that need not be.
func (d *drain) mayGo(s *slot, at int32) bool {
	n, t := &d.nodes[at], &d.tasks[s.task]
	return n.eligible && !n.unknown && !d.holds(t, at) &&
		slices.Contains(d.groups.racks[s.racks], n.rack) && !d.siblingIn(t, s, n.rack)
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
	var buf [8]int32
	at := d.index.of(m.LeadsFirst)
	if at < 0 || !slices.Contains(d.heirs(t, buf[:]), at) {
		return false
	}
	t.preferred = at
	d.nodes[at].preferred++
	return true
}

// comparison tells how the cluster differs from what a saved plan was made for.
type comparison struct {
	saved, now *Plan
	c          *Cluster
	r          *Request
}

// mismatch is the risk word.
const mismatch = "plan-mismatch"

func (v *comparison) finding(broker int32, format string, args ...any) Finding {
	f := Finding{
		Level: Block, Risk: mismatch, Partition: -1, Broker: broker, Message: fmt.Sprintf(format, args...),
		Remedy: "make a new plan with drain plan --output json, or accept the risk: what differs is then planned anew",
	}
	if v.r.accepts(mismatch) {
		f.Level = Warn
	}
	return f
}

func (v *comparison) about(name TopicPartition, format string, args ...any) Finding {
	f := v.finding(-1, "%v %s", name, fmt.Sprintf(format, args...))
	f.Topic, f.Partition = name.Topic, name.Partition
	return f
}

// differences are all that there are; where the plan is for something else
// altogether, only that.
func (v *comparison) differences() []Finding {
	if whole := v.wholly(); len(whole) > 0 {
		return whole
	}
	now := make(map[TopicPartition]*Move, len(v.now.Moves))
	for i := range v.now.Moves {
		now[v.now.Moves[i].TopicPartition] = &v.now.Moves[i]
	}
	var found []Finding
	for i := range v.saved.Moves {
		m := &v.saved.Moves[i]
		if n := now[m.TopicPartition]; n == nil || !slices.Equal(n.Before, m.Before) || !slices.Equal(n.After, m.After) || remade(v.c, m) {
			found = append(found, v.changed(m, n))
		}
	}
	return append(found, v.more()...)
}

// wholly are the reasons why the plan is for something else.
func (v *comparison) wholly() []Finding {
	var found []Finding
	if v.saved.Cluster != "" && v.c.ID != "" && v.saved.Cluster != v.c.ID {
		found = append(found, v.finding(-1, "the plan is for cluster %s, and this is %s", v.saved.Cluster, v.c.ID))
	}
	// Brokers of the plan that were stopped meanwhile are among the draining ones.
	brokers := slices.Clone(v.r.Brokers)
	for _, id := range v.saved.Brokers {
		if !slices.Contains(brokers, id) && slices.Contains(v.r.Draining, id) {
			brokers = append(brokers, id)
		}
	}
	if slices.Sort(brokers); !sameSet(v.saved.Brokers, brokers) {
		found = append(found, v.finding(-1, "the plan drains brokers %s, and the runbook %s", idList(v.saved.Brokers), idList(brokers)))
	}
	if v.saved.Mode != v.r.Mode {
		found = append(found, v.finding(-1, "the plan is of mode %v, and the runbook says %v", v.saved.Mode, v.r.Mode))
	}
	return found
}

// changed says why a saved move is not the one that is planned now.
func (v *comparison) changed(m, now *Move) Finding {
	i, there := v.c.Find(m.TopicPartition)
	switch {
	case !there:
		return v.about(m.TopicPartition, "is in the plan and no longer in the cluster")
	case remade(v.c, m):
		return v.about(m.TopicPartition, "is of a topic that was deleted since the plan, and made again")
	case !slices.Equal(v.c.Partition(i).Replicas, m.Before):
		return v.about(m.TopicPartition, "has the replicas %v, and had %v when the plan was made", v.c.Partition(i).Replicas, m.Before)
	}
	for _, id := range m.To {
		if why := v.barred(id); why != "" {
			f := v.about(m.TopicPartition, "was to go to broker %d, which %s", id, why)
			f.Broker = id
			return f
		}
	}
	if now == nil {
		return v.about(m.TopicPartition, "was to go to %s, and has to stay", idList(m.To))
	}
	return v.about(m.TopicPartition, "does not go to %s as the plan says: there is no room, or its racks are others now; it would go to %s", idList(m.To), idList(now.To))
}

// barred says why a broker may not receive, or nothing.
func (v *comparison) barred(id int32) string {
	b, known := v.c.Broker(id)
	switch {
	case !known:
		return "is not known"
	case !b.Live():
		return "is not alive"
	case b.Cordoned:
		return "is cordoned"
	case slices.Contains(v.r.Draining, id) || slices.Contains(v.r.Brokers, id):
		return "is drained itself"
	case !v.r.mayReceive(&b):
		return "may not receive by the runbook"
	}
	return ""
}

// more are partitions on the drained brokers that the plan knows nothing of, or
// leaves where they are and that are to be moved now.
func (v *comparison) more() []Finding {
	moves, left := map[TopicPartition]bool{}, map[TopicPartition]bool{}
	for i := range v.saved.Moves {
		moves[v.saved.Moves[i].TopicPartition] = true
	}
	for _, name := range v.saved.Left {
		left[name] = true
	}
	var found []Finding
	for i := range v.now.Moves {
		switch name := v.now.Moves[i].TopicPartition; {
		case moves[name]:
		case left[name]:
			found = append(found, v.about(name, "stays by the plan, and would be moved now"))
		default:
			found = append(found, v.about(name, "is not in the plan, and would be moved now"))
		}
	}
	for _, name := range v.now.Left {
		if !moves[name] && !left[name] {
			found = append(found, v.about(name, "is not in the plan"))
		}
	}
	return found
}
