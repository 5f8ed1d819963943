package plan

import "slices"

// fate is what becomes of a partition with a replica on a drained broker.
type fate uint8

const (
	moved    fate = iota // its replica is replaced
	excluded             // its topic stays where it is
	foreign              // somebody else is moving it
	adopted              // an earlier run of this drain is moving it
	lost                 // no live replica is in sync: there is nothing to copy from
	kept                 // mode at-risk can leave it
	fates                // how many there are
)

// triage tells the fates of the affected partitions apart.
func (s *survey) triage() [fates][]int32 {
	var by [fates][]int32
	by[moved] = make([]int32, 0, len(s.affected))
	lastTopic, out := int32(-1), false
	for _, i := range s.affected {
		if topic := s.c.partitions.topic[i]; topic != lastTopic {
			lastTopic = topic
			out = s.r.excludes(s.c.Topics[topic].Name)
		}
		f := s.fateOf(int(i))
		switch {
		case out && f != foreign && f != adopted:
			f = excluded
		case f == moved && s.r.Mode == AtRisk && s.risks.of(int(i)).Outcome.Safe():
			f = kept
		}
		by[f] = append(by[f], i)
	}
	return by
}

func (s *survey) fateOf(i int) fate {
	if s.c.partitions.ordinary(i) && slices.ContainsFunc(s.c.partitions.list(i), s.lives) {
		return moved
	}
	switch v := s.c.Partition(i); {
	case v.InFlight() && s.owns(s.c.Name(i), v):
		return adopted
	case v.InFlight():
		return foreign
	case !slices.ContainsFunc(v.Replicas, func(id int32) bool { return s.canLead(v, id) }):
		return lost
	}
	return moved
}

func (s *survey) lives(id int32) bool {
	at := s.index.of(id)
	return at >= 0 && s.nodes[at].live
}

// canLead says that the replica may lead, and be read from: its broker lives,
// it is in sync, and its log dir is not offline.
func (s *survey) canLead(v PartitionView, id int32) bool {
	at := s.index.of(id)
	return at >= 0 && s.nodes[at].live && slices.Contains(v.ISR, id) && !slices.Contains(v.Offline, id)
}
