package plan

import (
	"cmp"
	"slices"
)

// Share is what a broker has of the cluster.
type Share struct {
	Bytes    int64 // sum of the sizes of its replicas; an unknown size counts as 0
	Replicas int
	Leaders  int // partitions that it leads
}

// Load is one broker before a plan and after it.
type Load struct {
	Broker        int32
	Rack          string // empty if it has none
	Drained       bool
	CapacityBytes int64 // or Unknown
	UsedBytes     int64 // of its disks, before; or Unknown
	Before, After Share
	In, Out       int64 // bytes to be copied to it, and read from it
}

// Loads lists the brokers by ID, as they are and as the plan leaves them. A
// partition that moves is then led by its LeadsFirst. Brokers that are only in
// replica lists are not listed.
func Loads(c Cluster, p Plan) []Load {
	s := newSurvey(&c, &Request{Brokers: p.Brokers})
	loads := make([]Load, len(s.nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
		now := Share{n.stored, int(n.replicas), int(n.leads)}
		loads[i] = Load{
			Broker: n.id, Rack: s.racks[n.rack].name, Drained: n.drained,
			CapacityBytes: n.capacity, UsedBytes: n.used, Before: now, After: now,
		}
		if n.unknown {
			loads[i].CapacityBytes, loads[i].UsedBytes = Unknown, Unknown
		}
	}
	for i := range p.Moves {
		s.apply(&p.Moves[i], loads)
	}
	slices.SortFunc(loads, func(a, b Load) int { return cmp.Compare(a.Broker, b.Broker) })
	return loads
}

// apply changes the loads by one move.
func (s *survey) apply(m *Move, loads []Load) {
	var none Load
	at := func(id int32) *Load {
		if i := s.index.of(id); i >= 0 {
			return &loads[i]
		}
		none = Load{} // counts for nobody
		return &none
	}
	each := m.Bytes / int64(max(1, len(m.To)))
	for _, id := range m.From {
		at(id).After.Bytes -= each
		at(id).After.Replicas--
	}
	for _, id := range m.To {
		at(id).After.Bytes += each
		at(id).After.Replicas++
		at(id).In += each
	}
	at(m.reader()).Out += m.Bytes
	at(m.Leader).After.Leaders--
	at(m.LeadsFirst).After.Leaders++
}
