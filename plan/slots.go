package plan

import (
	"cmp"
	"slices"
)

// task is a partition that has to move: one slot or more, read from one leader.
type task struct {
	partition int32
	first     int32 // its slots are slots[first:first+count]
	count     int32
	leadsNow  int32 // node that leads now, or -1
	reader    int32 // node that leads while copying, or -1
	preferred int32 // node to be first in the list, where the first one leaves; else -1
	dropped   bool  // a slot has no place, so that the partition stays as it is
}

// slot is one replica to be placed.
type slot struct {
	task   int32
	place  int32 // position in the replica list
	size   int64 // 0 if unknown
	topic  int32 // row of survey counts
	racks  int32 // index into drain.groups: the racks that are allowed
	tier   int32 // slots of a task in one tier take distinct racks
	to     int32 // node, or -1
	dir    int32 // of that node, or -1
	reason reason
}

// drain is the work on one request: what moves, and where to.
type drain struct {
	*survey
	fates  [fates][]int32
	tasks  []task
	slots  []slot
	groups groups
	spread spread
}

// newDrain makes tasks and slots of the affected partitions that may move.
func newDrain(s *survey) *drain {
	d := &drain{survey: s, groups: newGroups(len(s.racks))}
	d.fates = s.triage()
	for _, i := range d.fates[moved] {
		d.add(i)
	}
	d.spread = newSpread(d)
	return d
}

func (d *drain) add(partition int32) {
	ps := &d.c.partitions
	t := task{partition: partition, first: int32(len(d.slots)), reader: -1, preferred: -1, leadsNow: d.index.of(ps.leader[partition])}
	for k, id := range ps.list(int(partition)) {
		if at := d.index.of(id); at < 0 || !d.nodes[at].drained {
			continue
		}
		d.slots = append(d.slots, slot{
			task: int32(len(d.tasks)), place: int32(k), size: max(0, ps.size[partition]), to: -1, dir: -1,
		})
		t.count++
	}
	d.tasks = append(d.tasks, t)
	d.allow(&d.tasks[len(d.tasks)-1])
}

func (d *drain) slotsOf(t *task) []slot { return d.slots[t.first : t.first+t.count] }

// replicasOf is the replica list of a task before the drain.
func (d *drain) replicasOf(t *task) []int32 { return d.c.partitions.list(int(t.partition)) }

// holds says that the node has a replica of the task, or will get one.
func (d *drain) holds(t *task, at int32) bool {
	if slices.Contains(d.replicasOf(t), d.nodes[at].id) {
		return true
	}
	for _, s := range d.slotsOf(t) {
		if s.to == at {
			return true
		}
	}
	return false
}

// order is the order of placing: slots with one allowed rack first, since the
// others can fill the gaps, then the largest first, then as the cluster is
// sorted.
func (d *drain) order() []int32 {
	order := make([]int32, len(d.slots))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		a, b := &d.slots[i], &d.slots[j]
		return cmp.Or(
			cmp.Compare(min(2, len(d.groups.racks[a.racks])), min(2, len(d.groups.racks[b.racks]))),
			cmp.Compare(b.size, a.size), cmp.Compare(i, j))
	})
	return order
}
