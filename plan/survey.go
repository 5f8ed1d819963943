package plan

import "slices"

// survey is the cluster as one drain sees it: every broker a node, and what is
// counted in one pass over all partitions.
type survey struct {
	c *Cluster
	r *Request

	nodes []node
	disks []disk // beside nodes
	racks []rack
	index nodeIndex

	// Fill and room of each node, as of the last sift, stand in arrays of their
	// own, which stay in the cache, where the nodes themselves do not.
	fills []float64
	rooms []int64

	own   map[TopicPartition]Move
	risks *risks // nil but in mode AtRisk

	affected []int32 // partitions with a replica on a drained broker, in order
}

func newSurvey(c *Cluster, r *Request) *survey {
	s := &survey{c: c, r: r, own: map[TopicPartition]Move{}}
	for _, m := range r.Own {
		s.own[m.TopicPartition] = m
	}
	if r.Mode == AtRisk {
		s.risks = newRisks(c, r.Brokers)
	}
	s.nodes, s.disks, s.racks = nodesOf(c, r)
	s.index = newNodeIndex(s.nodes)
	s.count()
	s.excludeLeaving()
	s.measure()
	s.reserve()
	s.sortByFill()
	return s
}

// count walks all partitions once. It reads the flat arrays themselves: it is
// most of the time that a plan for one broker takes.
func (s *survey) count() {
	ps := &s.c.partitions
	for i, size := range ps.size {
		size = max(size, 0)
		hit := false
		for k, id := range ps.replicas[ps.offset[i]:ps.offset[i+1]] {
			at := s.index.of(id)
			if at < 0 {
				continue
			}
			n := &s.nodes[at]
			n.replicas++
			n.stored += size
			if k == 0 {
				n.preferred++
			}
			hit = hit || n.drained
		}
		if at := s.index.of(ps.leader[i]); at >= 0 {
			s.nodes[at].leads++
		}
		if hit {
			s.affected = append(s.affected, int32(i))
		}
	}
}

// excludeLeaving takes brokers that moves of others empty from the eligible
// ones: a broker in removing and in no adding is being drained by somebody.
func (s *survey) excludeLeaving() {
	adding, removing := map[int32]bool{}, map[int32]bool{}
	for _, e := range s.c.partitions.rare {
		i := int(e.partition)
		v := s.c.Partition(i)
		if !v.InFlight() || s.owns(s.c.Name(i), v) {
			continue
		}
		for _, id := range v.Adding {
			adding[id] = true
		}
		for _, id := range v.Removing {
			removing[id] = true
		}
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		n.eligible = n.eligible && (adding[n.id] || !removing[n.id])
	}
}

// measure works out room and fill, once it is known what each broker stores,
// and lists the destinations of each rack.
func (s *survey) measure() {
	for i := range s.nodes {
		n, d := &s.nodes[i], &s.disks[i]
		if b, _ := s.c.Broker(n.id); len(d.volumes) == 0 && b.CapacityBytes >= 0 {
			d.volumes = []volume{newVolume(b.CapacityBytes, b.CapacityBytes-n.stored, s.r.DiskHeadroom)}
		}
		n.unknown = len(d.volumes) == 0
		n.capacity, n.used = d.sizes()
		n.fits = d.fits()
		k := &s.racks[n.rack]
		switch {
		case n.eligible && n.unknown:
			k.unknown = append(k.unknown, int32(i))
		case n.eligible:
			k.eligible = append(k.eligible, int32(i))
			k.receives += n.receives
			k.largest = max(k.largest, n.capacity, 1)
		}
	}
}

// reserve keeps room for the copies that are under way, whoever asked for them.
// How much of them is there already cannot be told: rather too little room.
func (s *survey) reserve() {
	for _, e := range s.c.partitions.rare {
		size := max(0, s.c.partitions.size[e.partition])
		for _, id := range e.adding {
			if at := s.index.of(id); at >= 0 {
				s.disks[at].add(s.disks[at].next(), size, 1)
				s.nodes[at].fits = s.disks[at].fits()
				s.nodes[at].used += size
			}
		}
	}
}

// owns says that the move in flight is one of an earlier run of this drain: it
// has the target that was asked for.
func (s *survey) owns(name TopicPartition, v PartitionView) bool {
	own, ok := s.own[name]
	return ok && sameSet(own.After, target(v))
}

// target is what a move in flight will leave: its replicas without those that
// are being removed.
func target(v PartitionView) []int32 {
	return slices.DeleteFunc(slices.Clone(v.Replicas), func(id int32) bool { return slices.Contains(v.Removing, id) })
}

func sameSet(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	for _, id := range a {
		if !slices.Contains(b, id) {
			return false
		}
	}
	return true
}
