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
	// is not the whole replica list. rareAt is beside the other arrays, -1 for a
	// partition without an entry, and nil while there is none at all.
	rare   []rare
	rareAt []int32
}

type rare struct {
	partition                               int32
	isr                                     []int32
	elr, lastKnown, adding, removing, dirty []int32
}

func (ps *partitions) list(i int) []int32 {
	return ps.replicas[ps.offset[i]:ps.offset[i+1]:ps.offset[i+1]]
}

// ordinary says that the whole replica list is in sync, and nothing is in flight.
func (ps *partitions) ordinary(i int) bool { return ps.rareAt == nil || ps.rareAt[i] < 0 }

func (ps *partitions) view(i int) PartitionView {
	list := ps.list(i)
	v := PartitionView{
		Topic: int(ps.topic[i]), Number: ps.number[i],
		Leader: ps.leader[i], LeaderEpoch: ps.epoch[i],
		Replicas: list, ISR: list, SizeBytes: ps.size[i],
	}
	if ps.ordinary(i) {
		return v
	}
	r := &ps.rare[ps.rareAt[i]]
	v.ISR, v.ELR, v.LastKnownELR = r.isr, r.elr, r.lastKnown
	v.Adding, v.Removing, v.Offline = r.adding, r.removing, r.dirty
	return v
}

func (ps *partitions) append(topic int32, v *PartitionView) {
	if len(ps.number) == cap(ps.number) {
		ps.grow()
	}
	ps.number = append(ps.number, v.Number)
	ps.topic = append(ps.topic, topic)
	ps.leader = append(ps.leader, v.Leader)
	ps.epoch = append(ps.epoch, v.LeaderEpoch)
	ps.size = append(ps.size, v.SizeBytes)
	ps.replicas = append(ps.replicas, v.Replicas...)
	ps.offset = append(ps.offset, uint32(len(ps.replicas)))
	ps.appendRare(v)
}

// grow doubles the room, where append alone would add a quarter: a cluster of
// millions is not copied again and again while it comes in.
func (ps *partitions) grow() { ps.reserve(len(ps.number) + 64) }

// reserve makes room for more partitions, of as many replicas as those before had,
// or three.
func (ps *partitions) reserve(more int) {
	if len(ps.offset) == 0 {
		ps.offset = make([]uint32, 1, more+1)
		ps.replicas = make([]int32, 0, 3*more)
	}
	ps.number, ps.topic = slices.Grow(ps.number, more), slices.Grow(ps.topic, more)
	ps.leader, ps.epoch = slices.Grow(ps.leader, more), slices.Grow(ps.epoch, more)
	ps.size, ps.offset = slices.Grow(ps.size, more), slices.Grow(ps.offset, more)
	ps.replicas = slices.Grow(ps.replicas, len(ps.replicas))
}

func (ps *partitions) appendRare(v *PartitionView) {
	if v.plain() {
		if ps.rareAt != nil {
			ps.rareAt = append(ps.rareAt, -1)
		}
		return
	}
	for len(ps.rareAt) < len(ps.number)-1 {
		ps.rareAt = append(ps.rareAt, -1)
	}
	ps.rareAt = append(ps.rareAt, int32(len(ps.rare)))
	ps.rare = append(ps.rare, rare{
		partition: int32(len(ps.number) - 1),
		isr:       slices.Clone(v.ISR), elr: slices.Clone(v.ELR), lastKnown: slices.Clone(v.LastKnownELR),
		adding: slices.Clone(v.Adding), removing: slices.Clone(v.Removing), dirty: slices.Clone(v.Offline),
	})
}

// plain says that the view needs no entry among the rare ones: all in sync, and
// nothing in flight. The order of an ISR means nothing, so any will do.
func (p *PartitionView) plain() bool {
	return len(p.ELR)+len(p.LastKnownELR)+len(p.Adding)+len(p.Removing)+len(p.Offline) == 0 &&
		(slices.Equal(p.Replicas, p.ISR) || sameSet(p.Replicas, p.ISR))
}
