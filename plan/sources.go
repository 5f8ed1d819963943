package plan

import (
	"cmp"
	"math"
	"slices"
)

// sources is a lower bound on the time to read everything: what is read from a
// set of brokers that no task of theirs can leave, over their rates. The set
// grows from the busiest broker; another bound is what each single broker must
// serve because nobody else can.
func (d *drain) sources() float64 {
	forced := make([]int64, len(d.nodes))
	busiest := int32(0)
	for i := range d.tasks {
		if t := &d.tasks[i]; t.reader >= 0 && t.leaders.end-t.leaders.first == 1 {
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
	return max(bound, d.closure(d.byReader(), busiest))
}

// closure is what is read from the brokers that can be reached from one by
// handing tasks over, over their rates.
func (d *drain) closure(by [][]int32, from int32) float64 {
	in := make([]bool, len(d.nodes))
	in[from] = true
	queue := []int32{from}
	var bytes int64
	rate := 0.0
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		bytes += d.nodes[at].out
		rate += d.nodes[at].rate
		for _, i := range by[at] {
			for _, other := range d.leadersOf(&d.tasks[i]) {
				if !in[other] {
					in[other] = true
					queue = append(queue, other)
				}
			}
		}
	}
	return float64(bytes) / rate
}

// untangle looks closer at nodes over the bounds that nobody could relieve: it
// raises the bound on reading, and takes over the best way that it has found to
// share their largest tasks.
func (d *drain) untangle(bounds []Bound) {
	const mostRounds = 4
	for range mostRounds {
		before, readers := d.mostRead(), d.readers()
		if before <= longest(bounds) {
			return
		}
		d.raise(bounds)
		d.makeWay(longest(bounds))
		if after := d.mostRead(); after >= before {
			d.readAgain(readers)
			return
		}
	}
}

// raise raises the bound on reading by what the busiest nodes have to send at
// least, and shares their largest tasks anew.
func (d *drain) raise(bounds []Bound) {
	t, over := newTangle(d), d.over(longest(bounds))
	by, raised := d.byReader(), 0.0
	for _, at := range over {
		raised = max(raised, d.closure(by, at))
	}
	for _, at := range over {
		if t.around(at) {
			raised = max(raised, t.least)
			t.settle()
		}
	}
	for i := range bounds {
		if b := &bounds[i]; b.Name == BoundSources && raised > b.Bytes {
			*b = d.bound(BoundSources, raised)
		}
	}
}

func (d *drain) readers() []int32 {
	readers := make([]int32, len(d.tasks))
	for i := range d.tasks {
		readers[i] = d.tasks[i].reader
	}
	return readers
}

func (d *drain) readAgain(readers []int32) {
	for i := range d.tasks {
		if t := &d.tasks[i]; t.reader != readers[i] {
			d.readFrom(t, readers[i])
		}
	}
}

// over lists the busiest of the nodes that have more to send than most.
func (d *drain) over(most float64) []int32 {
	var list []int32
	for at := range d.nodes {
		if d.nodes[at].sent(0) > most {
			list = append(list, int32(at))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(d.nodes[b].sent(0), d.nodes[a].sent(0)) })
	return list[:min(mostTangles, len(list))]
}

// What is looked at to raise the bound on reading: a few nodes, the largest tasks
// around each of them, among the largest of all, and so many steps of the search.
const (
	mostTangles   = 4
	mostTangled   = 32
	mostAround    = 20_000
	mostUntangled = 1_000_000
)

// tangle is a few large tasks that the same few nodes have to read. The best way
// to share them out is a bound: whoever reads all has to read these, on top of
// what nobody else can.
type tangle struct {
	*drain
	forced []int64 // bytes by node, of tasks with one leader

	// Of the search that is under way.
	tasks      []*task
	out        []int64 // bytes by node
	now, found []int32 // reader of each task, and in the best way so far
	best       float64 // of the busiest node, in that way
	steps      int

	// Of the last one that was ended.
	shared []*task
	ways   []int32
	least  float64
}

func newTangle(d *drain) *tangle {
	t := &tangle{drain: d, forced: make([]int64, len(d.nodes))}
	for i := range d.tasks {
		if k := &d.tasks[i]; k.reader >= 0 && len(d.leadersOf(k)) == 1 {
			t.forced[k.reader] += d.bytesOf(k)
		}
	}
	t.out = slices.Clone(t.forced)
	return t
}

// around shares the largest tasks around a node: few at first, then one more each
// time, until the search takes too long. What was found last counts. It returns
// false if there are none.
func (t *tangle) around(at int32) bool {
	all := t.gather(at)
	t.ways, t.least, t.steps = nil, 0, 0
	for n := range all {
		t.tasks = slices.SortedFunc(slices.Values(all[:n+1]), func(a, b *task) int { return cmp.Compare(t.bytesOf(b), t.bytesOf(a)) })
		t.now, t.best = make([]int32, n+1), math.Inf(1)
		t.share(0, 0)
		if t.steps > mostUntangled {
			break
		}
		t.least, t.ways = t.best, t.found
		t.shared = t.tasks
	}
	return t.ways != nil
}

// settle has the tasks read as the best way has it.
func (t *tangle) settle() {
	for i, k := range t.shared {
		t.readFrom(k, t.ways[i])
	}
}

// gather takes the largest task that could be read from the node, then the largest
// that could be read from any of its leaders too, and so on.
func (t *tangle) gather(at int32) []*task {
	var list []*task
	in, taken := make([]bool, len(t.nodes)), map[*task]bool{}
	in[at] = true
	for len(list) < mostTangled {
		largest := t.largest(in, taken)
		if largest == nil {
			break
		}
		list, taken[largest] = append(list, largest), true
		for _, to := range t.leadersOf(largest) {
			in[to] = true
		}
	}
	return list
}

// largest is the largest task with a choice of leaders, one of them among the
// nodes, that is not taken yet; nil if there is none.
func (t *tangle) largest(in []bool, taken map[*task]bool) *task {
	var largest *task
	all := t.drain.tasks[:min(mostAround, len(t.drain.tasks))]
	for i := range all {
		k := &all[i]
		leaders := t.leadersOf(k)
		if len(leaders) < 2 || k.size == 0 || largest != nil && t.bytesOf(k) <= t.bytesOf(largest) || taken[k] {
			continue
		}
		if slices.ContainsFunc(leaders, func(to int32) bool { return in[to] }) {
			largest = k
		}
	}
	return largest
}

// share tries all ways from task i on; most is the busiest node's time so far. With
// one task fewer it took no less than least, so that it can end there.
func (t *tangle) share(i int, most float64) {
	if t.steps++; t.steps > mostUntangled || most >= t.best || t.best <= t.least {
		return
	}
	if i == len(t.tasks) {
		t.best, t.found = most, slices.Clone(t.now)
		return
	}
	bytes := t.bytesOf(t.tasks[i])
	for _, at := range t.leadersOf(t.tasks[i]) {
		t.now[i] = at
		t.out[at] += bytes
		t.share(i+1, max(most, float64(t.out[at])/t.nodes[at].rate))
		t.out[at] -= bytes
	}
}
