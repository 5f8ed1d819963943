package plan

import (
	"cmp"
	"slices"
)

// A new replica is read from its partition's leader, so who leads while copying
// decides whose port is the bottleneck. Left on the drained broker, leadership
// makes its one port feed everything.

// leadersOf lists, in the order of assignment, the nodes that may lead a task
// while it copies: in-sync survivors, or, where there is none, the drained
// broker itself.
func (d *drain) leadersOf(t *task, buf []int32) []int32 {
	buf = buf[:0]
	v := d.c.Partition(int(t.partition))
	for _, id := range v.Replicas {
		if d.canLead(v, id) && !d.nodes[d.index.of(id)].drained {
			buf = append(buf, d.index.of(id))
		}
	}
	if len(buf) > 0 {
		return buf
	}
	if t.leadsNow >= 0 && d.canLead(v, v.Leader) {
		return append(buf, t.leadsNow)
	}
	for _, id := range v.Replicas {
		if d.canLead(v, id) {
			return append(buf, d.index.of(id))
		}
	}
	return buf
}

func (d *drain) bytesOf(t *task) int64 { return d.slots[t.first].size * int64(t.count) }

// read chooses the readers: who leads a task while it copies. Leaders that stay
// keep their partitions at first; those of drained brokers go, largest first,
// to the survivor with the least to be read.
func (d *drain) read() {
	var free []int32
	var buf [8]int32
	for i := range d.tasks {
		t := &d.tasks[i]
		if slices.Contains(d.leadersOf(t, buf[:]), t.leadsNow) {
			d.readFrom(t, t.leadsNow)
		} else {
			free = append(free, int32(i))
		}
	}
	slices.SortFunc(free, func(i, j int32) int {
		return cmp.Or(cmp.Compare(d.bytesOf(&d.tasks[j]), d.bytesOf(&d.tasks[i])), cmp.Compare(i, j))
	})
	for _, i := range free {
		t := &d.tasks[i]
		best := int32(-1)
		for _, at := range d.leadersOf(t, buf[:]) {
			if best < 0 || d.lessRead(at, best) {
				best = at
			}
		}
		if best >= 0 {
			d.readFrom(t, best)
			d.nodes[best].leads++
		}
	}
}

// lessRead prefers the node with less to be read, then the one that leads
// fewer partitions: each leader that it gets costs its clients a moment.
func (d *drain) lessRead(a, b int32) bool {
	x, y := &d.nodes[a], &d.nodes[b]
	return cmp.Or(cmp.Compare(x.sent(0), y.sent(0)), cmp.Compare(x.leads, y.leads)) < 0
}

func (d *drain) readFrom(t *task, at int32) {
	if t.reader >= 0 {
		d.nodes[t.reader].out -= d.bytesOf(t)
	}
	t.reader = at
	if at >= 0 {
		d.nodes[at].out += d.bytesOf(t)
	}
}

// relieve lowers what is read from the busiest brokers to the target time, if
// that can be had: by another survivor for partitions that change leaders
// anyway, and for a few of those led by a busy survivor, which get their leader
// back afterwards.
func (d *drain) relieve(target float64) {
	by := d.tasksByReader()
	stuck := make([]bool, len(d.nodes))
	for {
		worst := int32(-1)
		for at := range d.nodes {
			if n := &d.nodes[at]; !stuck[at] && n.sent(0) > target && (worst < 0 || n.sent(0) > d.nodes[worst].sent(0)) {
				worst = int32(at)
			}
		}
		if worst < 0 {
			return
		}
		k, to := d.handOver(by[worst], worst, target)
		if k < 0 {
			stuck[worst] = true
			continue
		}
		i := by[worst][k]
		by[worst] = slices.Delete(by[worst], k, k+1)
		by[to] = append(by[to], i)
		d.readFrom(&d.tasks[i], to)
	}
}

func (d *drain) tasksByReader() [][]int32 {
	by := make([][]int32, len(d.nodes))
	for i := range d.tasks {
		if at := d.tasks[i].reader; at >= 0 && !d.nodes[at].drained {
			by[at] = append(by[at], int32(i))
		}
	}
	return by
}

// handOver picks the task to be read from another node instead: one that then
// is within the target, rather without an extra election, the largest; else the
// one that leaves the lower of the two least loaded.
func (d *drain) handOver(tasks []int32, from int32, target float64) (k int, to int32) {
	k, to = -1, -1
	var buf [8]int32
	type key struct {
		over  float64 // the higher of the two, or the target
		extra int
		bytes int64
	}
	var best key
	for j, i := range tasks {
		t := &d.tasks[i]
		bytes := d.bytesOf(t)
		for _, at := range d.leadersOf(t, buf[:]) {
			load := d.nodes[at].sent(bytes)
			if at == from || load >= d.nodes[from].sent(0) {
				continue
			}
			c := key{over: max(target, load), bytes: bytes}
			if t.leadsNow == from {
				c.extra = 1
			}
			if k < 0 || cmp.Or(cmp.Compare(c.over, best.over), cmp.Compare(c.extra, best.extra), cmp.Compare(best.bytes, c.bytes)) < 0 {
				k, to, best = j, at, c
			}
		}
	}
	return k, to
}

// sources is a lower bound on the time to read everything: what is read from a
// set of brokers that no task of theirs can leave, over their rates. The set
// grows from the busiest broker; another bound is what each single broker must
// serve because nobody else can.
func (d *drain) sources() float64 {
	by, forced := make([][]int32, len(d.nodes)), make([]int64, len(d.nodes))
	busiest := int32(0)
	var buf [8]int32
	for i := range d.tasks {
		t := &d.tasks[i]
		if t.reader < 0 {
			continue
		}
		by[t.reader] = append(by[t.reader], int32(i))
		if len(d.leadersOf(t, buf[:])) == 1 {
			forced[t.reader] += d.bytesOf(t)
		}
	}
	bound := 0.0
	for at := range d.nodes {
		bound = max(bound, float64(forced[at])/d.nodes[at].rate)
		if d.nodes[at].sent(0) > d.nodes[busiest].sent(0) {
			busiest = int32(at)
		}
	}
	return max(bound, d.closure(by, busiest))
}

// closure is what is read from the brokers that can be reached from one by
// handing tasks over, over their rates.
func (d *drain) closure(by [][]int32, from int32) float64 {
	in := make([]bool, len(d.nodes))
	in[from] = true
	queue := []int32{from}
	var bytes int64
	rate := 0.0
	var buf [8]int32
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		bytes += d.nodes[at].out
		rate += d.nodes[at].rate
		for _, i := range by[at] {
			for _, other := range d.leadersOf(&d.tasks[i], buf[:]) {
				if !in[other] {
					in[other] = true
					queue = append(queue, other)
				}
			}
		}
	}
	return float64(bytes) / rate
}
