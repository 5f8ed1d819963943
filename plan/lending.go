package plan

import "slices"

// makeWay is for large tasks that block each other: a busy node hands one on to a
// second node, which first hands one of its own to a third, and so on. Where the
// target cannot be had it comes as near as it can, by halves.
func (d *drain) makeWay(target float64) {
	most := d.mostRead()
	if most <= target {
		return
	}
	w := wayMaker{drain: d, target: target, by: d.byReader(), within: make([]bool, len(d.nodes)), effort: mostEffort}
	const mostRounds = 8 // the last one is about a part in a thousand
	for range mostRounds {
		w.unload()
		if most = d.mostRead(); most <= target {
			return
		}
		if most > w.target {
			target = w.target
		}
		w.target = target + (most-target)/2
	}
}

type wayMaker struct {
	*drain
	target float64
	by     [][]int32 // tasks by reader, the largest first
	within []bool    // nodes that a chain of hands goes through
	effort int
}

// mostHands is how many nodes hand one on in a chain.
const mostHands = 6

// unload lowers each node that is over the target as far as it goes.
func (w *wayMaker) unload() {
	for at := range w.nodes {
		for w.effort > 0 && w.nodes[at].sent(0) > w.target && w.shed(int32(at), mostHands) {
		}
	}
}

// makeRoom hands tasks of a node on until it can take so many bytes within the
// target. It says whether it can.
func (w *wayMaker) makeRoom(at int32, bytes int64, hands int) bool {
	if w.nodes[at].sent(bytes) <= w.target {
		return true
	}
	if hands == 0 || w.nodes[at].sent(bytes-w.movable(at)) > w.target {
		return false
	}
	for w.nodes[at].sent(bytes) > w.target {
		if !w.shed(at, hands) {
			return false
		}
	}
	return true
}

// movable is what is read from a node and could be read from another.
func (w *wayMaker) movable(at int32) int64 {
	var sum int64
	w.effort -= len(w.by[at])
	for _, i := range w.by[at] {
		if t := &w.tasks[i]; len(w.leadersOf(t)) > 1 {
			sum += w.bytesOf(t)
		}
	}
	return sum
}

// shed hands the largest task on that another node can take within the target, or
// returns false.
func (w *wayMaker) shed(at int32, hands int) bool {
	w.within[at] = true
	defer func() { w.within[at] = false }()
	for _, i := range w.by[at] {
		t := &w.tasks[i]
		for _, to := range w.leadersOf(t) {
			if w.effort--; w.effort < 0 || w.within[to] {
				continue
			}
			if w.makeRoom(to, w.bytesOf(t), hands-1) {
				w.handTo(i, to)
				return true
			}
		}
	}
	return false
}

func (w *wayMaker) handTo(i, to int32) {
	t := &w.tasks[i]
	from := t.reader
	w.by[from] = slices.DeleteFunc(w.by[from], func(j int32) bool { return j == i })
	at, _ := slices.BinarySearch(w.by[to], i) // tasks are numbered by size
	w.by[to] = slices.Insert(w.by[to], at, i)
	w.readFrom(t, to)
}
