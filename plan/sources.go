package plan

import (
	"cmp"
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
		bound = max(bound, float64(forced[at])/d.nodes[at].sends)
		if d.nodes[at].sent(0) > d.nodes[busiest].sent(0) {
			busiest = int32(at)
		}
	}
	return max(bound, d.closure(d.byReader(), busiest))
}

// closure is what is read from the brokers that can be reached from one by
// handing tasks over, over their rates. In a large drain these soon are all that
// can lead anything.
func (d *drain) closure(by [][]int32, from int32) float64 {
	in := make([]bool, len(d.nodes))
	in[from] = true
	reached, all := []int32{from}, d.survivors()
	var bytes int64
	rate := 0.0
	for k := 0; k < len(reached); k++ {
		at := reached[k]
		bytes += d.nodes[at].out
		rate += d.nodes[at].sends
		if len(reached) == all {
			continue
		}
		for _, i := range by[at] {
			for _, other := range d.leadersOf(&d.tasks[i]) {
				if !in[other] {
					in[other] = true
					reached = append(reached, other)
				}
			}
		}
	}
	return float64(bytes) / rate
}

func (d *drain) survivors() int {
	n := 0
	for i := range d.nodes {
		if d.nodes[i].live && !d.nodes[i].drained {
			n++
		}
	}
	return n
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
