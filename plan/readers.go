package plan

import "slices"

// A new replica is read from its partition's leader, so who leads while copying
// decides whose port is the bottleneck. Left on the drained broker, leadership
// makes its one port feed everything.

// appendLeaders appends, in the order of assignment, the nodes that may lead a
// partition while it copies: in-sync survivors, or, where there is none, the
// drained broker itself.
func (d *drain) appendLeaders(list []int32, partition int32) []int32 {
	start := len(list)
	ps := &d.c.partitions
	if ps.ordinary(int(partition)) { // as nearly all are
		for _, id := range ps.list(int(partition)) {
			if at := d.index.of(id); at >= 0 && d.nodes[at].live && !d.nodes[at].drained {
				list = append(list, at)
			}
		}
		if len(list) > start {
			return list
		}
	}
	v := d.c.Partition(int(partition))
	for _, id := range v.Replicas {
		if at := d.index.of(id); d.canLead(v, id) && !d.nodes[at].drained {
			list = append(list, at)
		}
	}
	if len(list) > start {
		return list
	}
	if d.canLead(v, v.Leader) {
		return append(list, d.index.of(v.Leader))
	}
	for _, id := range v.Replicas {
		if d.canLead(v, id) {
			return append(list, d.index.of(id))
		}
	}
	return list
}

func (d *drain) bytesOf(t *task) int64 { return t.size * int64(t.count) }

// read chooses the readers: who leads a task while it copies. Leaders that stay
// keep their partitions at first; those of drained brokers go, largest first,
// to the survivor with the least to be read.
func (d *drain) read() {
	for i := range d.tasks {
		if t := &d.tasks[i]; slices.Contains(d.leadersOf(t), t.leadsNow) {
			d.readFrom(t, t.leadsNow)
		}
	}
	for i := range d.tasks {
		t := &d.tasks[i]
		if at := d.leastRead(t, -1); at >= 0 && t.reader < 0 {
			d.readFrom(t, at)
		}
	}
}

// leastRead is the node among those that may lead the task, but for one, with
// the least to be read, then the one that leads the fewest partitions: each that
// it gets costs clients a moment.
func (d *drain) leastRead(t *task, but int32) int32 {
	best := int32(-1)
	for _, at := range d.leadersOf(t) {
		if at == but {
			continue
		}
		if best < 0 {
			best = at
			continue
		}
		x, y := &d.nodes[at], &d.nodes[best]
		if a, b := x.sent(0), y.sent(0); a < b || a == b && x.leads < y.leads {
			best = at
		}
	}
	return best
}

// readFrom makes a node the reader of a task; -1 is none.
func (d *drain) readFrom(t *task, at int32) {
	if t.reader >= 0 {
		d.nodes[t.reader].out -= d.bytesOf(t)
		d.nodes[t.reader].leads--
	}
	t.reader = at
	if at >= 0 {
		d.nodes[at].out += d.bytesOf(t)
		d.nodes[at].leads++
	}
}

// relieve evens out what is read from each broker, and lowers the busiest to
// the target time if that can be had. Partitions that change leaders anyway are
// handed on for nothing. Where that is not enough, some of those led by a busy
// survivor are lent to another one while they copy, and get their leader back
// afterwards; each costs two elections, so it is no more than needed.
func (d *drain) relieve(target float64) {
	const mostRounds = 8 // what is gained after these is not worth the time
	before := d.mostRead()
	for range mostRounds {
		d.handOn(func(t *task, from, load float64) bool {
			return t.reader != t.leadsNow || from > target && load <= target
		})
		after := d.mostRead()
		if after <= target || after >= before {
			break
		}
		before = after
	}
	d.makeWay(target)
	if d.mostRead() > target {
		d.handOn(func(_ *task, from, _ float64) bool { return from > target })
	}
}

func (d *drain) mostRead() float64 {
	most := 0.0
	for i := range d.nodes {
		most = max(most, d.nodes[i].sent(0))
	}
	return most
}

// handOn lets the least-read node take over tasks, largest first, where that
// leaves it below the one that has them now, and want agrees: it is told the
// loads of the one before and of the other after.
func (d *drain) handOn(want func(t *task, from, load float64) bool) {
	for i := range d.tasks {
		t := &d.tasks[i]
		if t.leaders.end-t.leaders.first < 2 || t.size == 0 {
			continue
		}
		to := d.leastRead(t, t.reader)
		load, from := d.nodes[to].sent(d.bytesOf(t)), d.nodes[t.reader].sent(0)
		if load < from && want(t, from, load) {
			d.readFrom(t, to)
		}
	}
}

// byReader lists the tasks that each node reads, the largest first.
func (d *drain) byReader() [][]int32 {
	counts := make([]int32, len(d.nodes))
	for i := range d.tasks {
		if at := d.tasks[i].reader; at >= 0 {
			counts[at]++
		}
	}
	by, all := make([][]int32, len(d.nodes)), make([]int32, len(d.tasks))
	for at, n := range counts {
		by[at], all = all[:0:n], all[n:]
	}
	for i := range d.tasks {
		if at := d.tasks[i].reader; at >= 0 {
			by[at] = append(by[at], int32(i))
		}
	}
	return by
}
