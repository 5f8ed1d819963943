package plan

import "slices"

// Move is the change of one partition's replica list.
type Move struct {
	TopicPartition
	TopicID [16]byte // zero if unknown

	Before []int32 // the replica list before, in order
	After  []int32 // the replica list afterwards, in order, LeadsFirst first
	From   []int32 // what leaves, in the order of Before
	To     []int32 // what comes instead, in the same positions
	Bytes  int64   // to be copied, over all of To; an unknown size counts as 0

	Leader      int32 // when planned, or NoLeader
	LeadsDuring int32 // who leads while copying, or NoLeader if nobody needs to change
	LeadsFirst  int32 // who is first in the list afterwards

	// Dirs names, beside each of To, the log dir it should go to; empty where
	// the broker has only one. Nil if no dir is named.
	Dirs []string

	// Wave is when the move may start: one of wave 1 needs the room that helper
	// moves, all of wave 0, make. It is there only once these have ended and
	// the old files are deleted (file.delete.delay.ms, a minute).
	Wave   int
	Helper bool // made only to make room; nothing of it is on a drained broker
}

// During is the list to submit: After with LeadsDuring, if it stays, put first.
func (m Move) During() []int32 {
	list := slices.Clone(m.After)
	if slices.Contains(list, m.LeadsDuring) {
		front(list, m.LeadsDuring)
	}
	return list
}

// moves turns placed tasks into moves, in the order of the cluster, and adds the
// adopted ones and the helpers.
func (d *drain) moves() []Move {
	moves := make([]Move, 0, len(d.tasks)+len(d.fates[adopted]))
	for _, i := range d.fates[adopted] {
		moves = append(moves, d.own[d.c.Name(int(i))])
	}
	lists := make([]int32, d.listLengths()) // one array for all: there are many
	sorted := *d
	sorted.arrange(d.inOrder)
	for i := range sorted.tasks {
		if t := &sorted.tasks[i]; !t.dropped {
			n := int(t.replicas + 2*t.count)
			moves = append(moves, sorted.move(t, lists[:n:n]))
			lists = lists[n:]
		}
	}
	moves = append(moves, d.helperMoves()...)
	if len(d.fates[adopted])+len(d.helpers) > 0 {
		slices.SortFunc(moves, func(a, b Move) int { return a.Compare(b.TopicPartition) })
	}
	return moves
}

// listLengths is the length of the lists of all moves.
func (d *drain) listLengths() int {
	n := 0
	for i := range d.tasks {
		if t := &d.tasks[i]; !t.dropped {
			n += int(t.replicas + 2*t.count)
		}
	}
	return n
}

// move makes one move. Its own lists are cut from the array.
func (d *drain) move(t *task, list []int32) Move {
	before, slots := d.replicasOf(t), d.slotsOf(t)
	topic := &d.c.Topics[d.c.partitions.topic[t.partition]]
	rf, n := len(before), len(slots)
	after, from, to := list[:rf:rf], list[rf:rf:rf+n], list[rf+n:rf+n:rf+2*n]
	copy(after, before)
	for k := range slots {
		s := &slots[k]
		from = append(from, before[s.place])
		to = append(to, d.nodes[s.to].id)
		after[s.place] = d.nodes[s.to].id
	}
	m := Move{
		TopicPartition: d.c.Name(int(t.partition)), TopicID: topic.ID,
		Before: before, From: from, To: to, Bytes: d.bytesOf(t),
		Leader: d.c.partitions.leader[t.partition],
		Dirs:   d.dirs(slots),
	}
	if slices.ContainsFunc(slots, func(s slot) bool { return s.reason == needsHelp }) {
		m.Wave = 1
	}
	if t.preferred >= 0 {
		front(after, d.nodes[t.preferred].id)
	}
	m.After, m.LeadsFirst = after, after[0]
	m.LeadsDuring = d.leadsOn(t, &m)
	if t.reader != t.leadsNow && t.reader >= 0 {
		m.LeadsDuring = d.nodes[t.reader].id
	}
	return m
}

// front puts a member of the list first, in place; the others keep their order.
func front(list []int32, id int32) {
	i := slices.Index(list, id)
	copy(list[1:i+1], list[:i])
	list[0] = id
}

// dirs are the names of the slots' log dirs, nil if there is none.
func (d *drain) dirs(slots []slot) []string {
	var dirs []string
	for k := range slots {
		name := d.disks[slots[k].to].name(int(slots[k].dir))
		if name != "" && dirs == nil {
			dirs = make([]string, len(slots))
		}
		if name != "" {
			dirs[k] = name
		}
	}
	return dirs
}
