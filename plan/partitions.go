package plan

import "slices"

// partitions holds what a cluster has millions of: one array a field, and lists
// as offsets into one array. Seven slices a partition cost 437 MB at two
// million partitions, this 64 MB.
type partitions struct {
	topic  []int32
	number []int32
	leader []int32
	epoch  []int32
	size   []int64

	offset   []uint32 // of the replica list; one more than partitions
	replicas []int32

	// rare holds the lists that are nearly always empty, and the ISR where it
	// is not the replica list itself, by partition index.
	rare map[int32]*rare
}

type rare struct {
	isr                                     []int32
	elr, lastKnown, adding, removing, dirty []int32
}

func (ps *partitions) view(i int) PartitionView {
	list := ps.replicas[ps.offset[i]:ps.offset[i+1]:ps.offset[i+1]]
	v := PartitionView{
		Topic: int(ps.topic[i]), Number: ps.number[i],
		Leader: ps.leader[i], LeaderEpoch: ps.epoch[i],
		Replicas: list, ISR: list, SizeBytes: ps.size[i],
	}
	if len(ps.rare) == 0 {
		return v
	}
	if r := ps.rare[int32(i)]; r != nil {
		v.ISR, v.ELR, v.LastKnownELR = r.isr, r.elr, r.lastKnown
		v.Adding, v.Removing, v.Offline = r.adding, r.removing, r.dirty
	}
	return v
}

func (ps *partitions) append(topic int32, v PartitionView) {
	if len(ps.offset) == 0 {
		ps.offset = append(ps.offset, 0)
	}
	i := int32(len(ps.number))
	ps.topic = append(ps.topic, topic)
	ps.number = append(ps.number, v.Number)
	ps.leader = append(ps.leader, v.Leader)
	ps.epoch = append(ps.epoch, v.LeaderEpoch)
	ps.size = append(ps.size, v.SizeBytes)
	ps.replicas = append(ps.replicas, v.Replicas...)
	ps.offset = append(ps.offset, uint32(len(ps.replicas)))
	if v.plain() {
		return
	}
	if ps.rare == nil {
		ps.rare = map[int32]*rare{}
	}
	ps.rare[i] = &rare{
		isr: slices.Clone(v.ISR), elr: slices.Clone(v.ELR), lastKnown: slices.Clone(v.LastKnownELR),
		adding: slices.Clone(v.Adding), removing: slices.Clone(v.Removing), dirty: slices.Clone(v.Offline),
	}
}

// plain says that the view needs no entry among the rare ones: in sync, in the
// order of the assignment, and nothing in flight.
func (p PartitionView) plain() bool {
	return slices.Equal(p.Replicas, p.ISR) &&
		len(p.ELR)+len(p.LastKnownELR)+len(p.Adding)+len(p.Removing)+len(p.Offline) == 0
}
