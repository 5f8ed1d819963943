package plan

import (
	"cmp"
	"math"
	"slices"
)

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
		t.share(i+1, max(most, float64(t.out[at])/t.nodes[at].sends))
		t.out[at] -= bytes
	}
}
