package plantest

import (
	"cmp"
	"slices"

	"drain/plan"
)

// Pass is a bare pass over a cluster: bytes, replicas and leaders of each
// broker. What planning takes is told as a multiple of it.
func Pass(c plan.Cluster) (bytes []int64, replicas, leaders []int32) {
	top := int32(0)
	for _, b := range c.Brokers {
		top = max(top, b.ID)
	}
	bytes, replicas, leaders = make([]int64, top+1), make([]int32, top+1), make([]int32, top+1)
	for i := range c.NumPartitions() {
		v := c.Partition(i)
		for _, id := range v.Replicas {
			bytes[id] += v.SizeBytes
			replicas[id]++
		}
		if v.Leader >= 0 {
			leaders[v.Leader]++
		}
	}
	return bytes, replicas, leaders
}

// Scan is a plain planner to compare with: every slot, largest first, looks at
// every broker that keeps the rack spread, has room and stays within the budget,
// and takes the one with the least of its topic, then the least full. It shares
// nothing with the real one but the types.
func Scan(c plan.Cluster, r plan.Request, budget float64) plan.Plan {
	s := newPlain(c, r)
	var slots []plainSlot
	for i := range c.NumPartitions() {
		v := c.Partition(i)
		for k, id := range v.Replicas {
			if s.drained[id] {
				slots = append(slots, plainSlot{i, k, v.SizeBytes})
			}
		}
	}
	slices.SortStableFunc(slots, func(a, b plainSlot) int { return cmp.Compare(b.size, a.size) })
	for _, slot := range slots {
		s.place(slot, budget)
	}
	return s.plan(r)
}

type plainSlot struct {
	partition, place int
	size             int64
}

type plain struct {
	c       plan.Cluster
	drained []bool // all by ID
	rack    []int
	live    []bool
	used    []int64
	room    []int64
	cap     []int64
	in      []int64
	first   []int
	counts  map[int][]int32 // by topic, then by ID
	lists   map[int][]int32 // by partition, as they become
}

func newPlain(c plan.Cluster, r plan.Request) *plain {
	used, _, _ := Pass(c)
	n := len(used)
	s := &plain{
		c: c, drained: make([]bool, n), rack: make([]int, n), live: make([]bool, n), used: used, room: make([]int64, n),
		cap: make([]int64, n), in: make([]int64, n), first: make([]int, n), counts: map[int][]int32{}, lists: map[int][]int32{},
	}
	for _, id := range r.Brokers {
		s.drained[id] = true
	}
	racks := map[string]int{}
	for _, b := range c.Brokers {
		if _, known := racks[b.Rack]; !known {
			racks[b.Rack] = len(racks)
		}
		s.rack[b.ID], s.live[b.ID], s.cap[b.ID] = racks[b.Rack], !s.drained[b.ID], b.CapacityBytes
		s.room[b.ID] = int64(float64(b.CapacityBytes)*(1-r.DiskHeadroom)) - used[b.ID]
	}
	for i := range c.NumPartitions() {
		if v := c.Partition(i); !s.drained[v.Replicas[0]] {
			s.first[v.Replicas[0]]++
		}
	}
	return s
}

func (s *plain) topic(t int) []int32 {
	if s.counts[t] == nil {
		s.counts[t] = make([]int32, len(s.live))
		for i := s.c.Topics[t].First; i < s.c.Topics[t].First+s.c.Topics[t].Count; i++ {
			for _, id := range s.c.Partition(i).Replicas {
				s.counts[t][id]++
			}
		}
	}
	return s.counts[t]
}

func (s *plain) place(slot plainSlot, budget float64) {
	v := s.c.Partition(slot.partition)
	list := s.lists[slot.partition]
	if list == nil {
		list = slices.Clone(v.Replicas)
		s.lists[slot.partition] = list
	}
	counts := s.topic(v.Topic)
	best, least := int32(-1), look{}
	for id, live := range s.live {
		id := int32(id)
		if !live || s.room[id] < slot.size || slices.Contains(list, id) {
			continue
		}
		l := look{sharing: s.sharing(list, id), topic: counts[id], fill: float64(s.used[id]+slot.size) / float64(s.cap[id])}
		if after := float64(s.in[id] + slot.size); after > budget {
			l.over = after
		}
		if best < 0 || l.before(least) {
			best, least = id, l
		}
	}
	if best < 0 {
		return
	}
	list[slot.place] = best
	s.in[best] += slot.size
	s.used[best] += slot.size
	s.room[best] -= slot.size
	counts[best]++
}

// look is what a slot sees in a broker: the less the better, the first field first.
type look struct {
	sharing int
	over    float64 // bytes it would receive, if more than the budget
	topic   int32   // replicas of the topic there
	fill    float64
}

func (l look) before(m look) bool {
	switch {
	case l.sharing != m.sharing:
		return l.sharing < m.sharing
	case l.over != m.over:
		return l.over < m.over
	case l.topic != m.topic:
		return l.topic < m.topic
	}
	return l.fill < m.fill
}

// sharing counts the replicas that stay in the rack of a broker.
func (s *plain) sharing(list []int32, id int32) int {
	n := 0
	for _, other := range list {
		if !s.drained[other] && s.rack[other] == s.rack[id] {
			n++
		}
	}
	return n
}

// plan turns the lists into moves; the least-led replica is preferred where the
// first one leaves.
func (s *plain) plan(r plan.Request) plan.Plan {
	p := plan.Plan{Brokers: r.Brokers}
	for i := range s.c.NumPartitions() {
		list, v := s.lists[i], s.c.Partition(i)
		if list == nil {
			continue
		}
		m := plan.Move{TopicPartition: s.c.Name(i), Before: v.Replicas, After: list, Leader: v.Leader, LeadsDuring: plan.NoLeader}
		for k, id := range list {
			if id != v.Replicas[k] {
				m.From, m.To = append(m.From, v.Replicas[k]), append(m.To, id)
			}
		}
		m.Bytes = v.SizeBytes * int64(len(m.To))
		if s.drained[v.Replicas[0]] {
			s.lead(list)
		}
		m.LeadsFirst = list[0]
		p.Moves = append(p.Moves, m)
	}
	return p
}

func (s *plain) lead(list []int32) {
	best := 0
	for k, id := range list {
		if s.first[id] < s.first[list[best]] {
			best = k
		}
	}
	list[0], list[best] = list[best], list[0]
	s.first[list[0]]++
}
