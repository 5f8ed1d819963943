package plan

import "slices"

// task is a partition that has to move: one slot or more, read from one leader.
type task struct {
	size      int64 // of one replica; 0 if unknown
	partition int32
	first     int32 // its slots are slots[first:first+count]
	count     int32
	replicas  int32
	leadsNow  int32 // node that leads now, or -1
	reader    int32 // node that leads while copying, or -1
	leaders   span  // of drain.leaders: nodes that may
	preferred int32 // node to be first in the list, where the first one leaves; else -1
	dropped   bool  // a slot has no place, so that the partition stays as it is
	synced    bool  // every replica that stays could lead
}

// span is a run of a slice.
type span struct{ first, end int32 }

// slot is one replica to be placed.
type slot struct {
	task   int32
	place  int32 // position in the replica list
	from   int32 // the drained node
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
	tasks  []task // the largest first: the order in which they are placed
	slots  []slot
	spare  spare
	groups groups
	spread spread

	leaders []int32 // see task.leaders
	inOrder []int32 // tasks as the cluster is sorted
	helpers []helper

	regrouped bool // slots are allowed other racks than the bounds were taken with

	wanted map[TopicPartition]*Move // of a saved plan; nil without one
	least  float64                  // throttle at which what is written can be caught up with, bytes a second
}

// newDrain makes tasks and slots of the affected partitions that may move. They
// are read in the order of the cluster and then put in the order of size: both
// ways memory is walked and not searched, of which a large drain is made.
func newDrain(s *survey) *drain {
	d := &drain{survey: s, groups: newGroups(len(s.racks))}
	d.fates = s.triage()
	d.reserveTasks()
	for _, i := range d.fates[moved] {
		d.add(i)
	}
	d.spread = newSpread(d)
	d.sortTasks()
	return d
}

// reserveTasks makes room for hundreds of thousands of tasks.
func (d *drain) reserveTasks() {
	ps, partitions := &d.c.partitions, d.fates[moved]
	replicas, drained := 0, 0
	for _, i := range partitions {
		replicas += len(ps.list(int(i)))
	}
	for i := range d.nodes {
		if n := &d.nodes[i]; n.drained {
			drained += int(n.replicas)
		}
	}
	d.tasks = make([]task, 0, len(partitions))
	d.slots = make([]slot, 0, drained)
	d.leaders = make([]int32, 0, replicas)
}

// sortTasks puts tasks, their slots and their leaders in the order of size, the
// largest first, then as they were.
func (d *drain) sortTasks() {
	order := d.bySize(d.fates[moved])
	d.inOrder = make([]int32, len(order))
	for at, i := range order {
		d.inOrder[i] = int32(at)
	}
	d.spare = spare{make([]task, len(d.tasks)), make([]slot, 0, len(d.slots))}
	d.arrange(order)
	leaders := make([]int32, 0, len(d.leaders))
	for i := range d.tasks {
		t := &d.tasks[i]
		first := int32(len(leaders))
		leaders = append(leaders, d.leadersOf(t)...)
		t.leaders = span{first, int32(len(leaders))}
	}
	d.leaders = leaders
}

// spare are the arrays of tasks and slots as they were before they were arranged:
// room for the next time.
type spare struct {
	tasks []task
	slots []slot
}

// arrange puts tasks and slots in another order. They come from all over the
// memory, and are fetched by loops so short that the processor asks for many at
// once.
func (d *drain) arrange(order []int32) {
	tasks, slots := d.spare.tasks, d.spare.slots[:0]
	for at, i := range order {
		tasks[at] = d.tasks[i]
	}
	for at := range tasks {
		t := &tasks[at]
		first := len(slots)
		slots = append(slots, d.slotsOf(t)...)
		for k := first; k < len(slots); k++ {
			slots[k].task = int32(at)
		}
		t.first = int32(first)
	}
	d.spare = spare{d.tasks, d.slots}
	d.tasks, d.slots = tasks, slots
}

// add makes the task of one partition.
func (d *drain) add(partition int32) {
	ps := &d.c.partitions
	list := ps.list(int(partition))
	t := task{
		partition: partition, size: max(0, ps.size[partition]), first: int32(len(d.slots)), replicas: int32(len(list)),
		reader: -1, preferred: -1, leadsNow: d.index.of(ps.leader[partition]),
	}
	for k, id := range list {
		if at := d.index.of(id); at >= 0 && d.nodes[at].drained {
			d.slots = append(d.slots, slot{task: int32(len(d.tasks)), place: int32(k), from: at, size: t.size, to: -1, dir: -1})
			t.count++
		}
	}
	t.count = int32(d.replaced(&t, int(t.count)))
	d.slots = d.slots[:t.first+t.count]
	t.leaders.first = int32(len(d.leaders))
	d.leaders = d.appendLeaders(d.leaders, partition)
	t.leaders.end = int32(len(d.leaders))
	t.synced = d.fullyInSync(&t)
	d.tasks = append(d.tasks, t)
	d.allow(&d.tasks[len(d.tasks)-1])
}

func (d *drain) slotsOf(t *task) []slot { return d.slots[t.first : t.first+t.count] }

func (d *drain) leadersOf(t *task) []int32 { return d.leaders[t.leaders.first:t.leaders.end] }

// replicasOf is the replica list of a task before the drain.
func (d *drain) replicasOf(t *task) []int32 { return d.c.partitions.list(int(t.partition)) }

// fullyInSync says that every replica that stays could lead.
func (d *drain) fullyInSync(t *task) bool {
	stay := int(t.replicas) - int(t.count)
	leaders := d.leadersOf(t)
	return stay == 0 || len(leaders) == stay && !d.nodes[leaders[0]].drained
}

// holds says that the node has a replica of the task, or will get one.
func (d *drain) holds(t *task, at int32) bool {
	if slices.Contains(d.leadersOf(t), at) {
		return true
	}
	if t.count > 1 && slices.ContainsFunc(d.slotsOf(t), func(s slot) bool { return s.to == at }) {
		return true
	}
	return !t.synced && slices.Contains(d.replicasOf(t), d.nodes[at].id)
}

// order is the order of placing: slots with one allowed rack first, since the
// others can fill the gaps, then the largest first.
func (d *drain) order() []int32 {
	order := make([]int32, 0, len(d.slots))
	for _, pinned := range []bool{true, false} {
		for i := range d.slots {
			if (len(d.groups.racks[d.slots[i].racks]) < 2) == pinned {
				order = append(order, int32(i))
			}
		}
	}
	return order
}
