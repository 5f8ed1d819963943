package plantest

import (
	"math"
	"slices"

	"drain/plan"
)

// Quality is what a plan does to a cluster.
type Quality struct {
	Bytes      int64 // to be copied
	BoundBytes int64 // of the replicas on the drained brokers
	Left       int   // partitions still on a drained broker
	Wrong      int   // replicas on a broker twice, not alive, or drained; or lists of another length
	RacksLost  int   // partitions on fewer racks than before, and than are left
	Full       int   // brokers filled beyond the headroom
	Displaced  int   // surviving preferred leaders that are no longer the first

	In, Out      float64 // bytes into, and from, the busiest broker
	Bound        float64 // the plan's own bound
	FillSpread   float64 // standard deviation of the part of each disk that is used
	FillMost     float64
	Excess       int     // replicas of a topic over its fair number on a broker, summed up
	LeaderSpread float64 // coefficient of variation of preferred leaders
}

// Load is the busiest broker's bytes in over the bound.
func (q Quality) Load() float64 {
	if q.Bound == 0 {
		return 1
	}
	return q.In / q.Bound
}

// Measure judges a plan for a drain of the given brokers.
func Measure(c plan.Cluster, p plan.Plan, headroom float64) Quality {
	m := newMeter(&c, p)
	for i := range p.Moves {
		m.move(&p.Moves[i])
	}
	m.scan()
	m.spread(headroom)
	for _, b := range p.Bounds {
		m.q.Bound = max(m.q.Bound, b.Bytes)
	}
	return m.q
}

type meter struct {
	q       Quality
	c       *plan.Cluster
	drained map[int32]bool
	moves   map[int]*plan.Move // by partition
	racks   map[string]bool    // left
	stored  map[int32]int64    // after
	in, out map[int32]int64
	first   map[int32]int
}

func newMeter(c *plan.Cluster, p plan.Plan) *meter {
	m := &meter{
		c: c, drained: map[int32]bool{}, moves: map[int]*plan.Move{}, racks: map[string]bool{},
		stored: map[int32]int64{}, in: map[int32]int64{}, out: map[int32]int64{}, first: map[int32]int{},
	}
	for _, id := range p.Brokers {
		m.drained[id] = true
	}
	for i := range p.Moves {
		at, ok := c.Find(p.Moves[i].TopicPartition)
		if !ok || m.moves[at] != nil {
			m.q.Wrong++
		}
		m.moves[at] = &p.Moves[i]
	}
	for _, b := range c.Brokers {
		if b.Live() && !m.drained[b.ID] && b.Rack != "" {
			m.racks[b.Rack] = true
		}
	}
	return m
}

func (m *meter) move(move *plan.Move) {
	m.q.Bytes += move.Bytes
	reader := move.LeadsDuring
	if reader == plan.NoLeader {
		reader = move.Leader
	}
	m.out[reader] += move.Bytes
	for _, id := range move.To {
		m.in[id] += move.Bytes / int64(len(move.To))
	}
}

// scan walks all partitions as they are afterwards.
func (m *meter) scan() {
	live := len(m.c.Brokers) - len(m.drained)
	for t := range m.c.Topics {
		counts, total := map[int32]int{}, 0
		topic := &m.c.Topics[t]
		for i := topic.First; i < topic.First+topic.Count; i++ {
			v := m.c.Partition(i)
			after := v.Replicas
			if move := m.moves[i]; move != nil {
				after = move.After
			}
			m.partition(v, after)
			for _, id := range after {
				counts[id]++
			}
			total += len(after)
		}
		fair := (total + live - 1) / live
		for _, n := range counts {
			m.q.Excess += max(0, n-fair)
		}
	}
}

func (m *meter) partition(v plan.PartitionView, after []int32) {
	size, held := max(0, v.SizeBytes), false
	for _, id := range v.Replicas {
		if m.drained[id] {
			m.q.BoundBytes += size
		}
	}
	for k, id := range after {
		m.stored[id] += size
		held = held || m.drained[id]
		if slices.Contains(after[:k], id) || !slices.Contains(v.Replicas, id) && !m.c.Live(id) {
			m.q.Wrong++
		}
	}
	if held {
		m.q.Left++
	}
	if len(after) != len(v.Replicas) {
		m.q.Wrong++
	}
	if m.rackCount(after) < min(m.rackCount(v.Replicas), len(m.racks)) {
		m.q.RacksLost++
	}
	if !m.drained[v.Replicas[0]] && after[0] != v.Replicas[0] {
		m.q.Displaced++
	}
	m.first[after[0]]++
}

func (m *meter) rackCount(list []int32) int {
	var seen []string
	for _, id := range list {
		if b, _ := m.c.Broker(id); b.Rack != "" && !slices.Contains(seen, b.Rack) {
			seen = append(seen, b.Rack)
		}
	}
	return len(seen)
}

func (m *meter) spread(headroom float64) {
	var fills, firsts []float64
	for _, b := range m.c.Brokers {
		m.q.In, m.q.Out = max(m.q.In, float64(m.in[b.ID])), max(m.q.Out, float64(m.out[b.ID]))
		if m.drained[b.ID] || b.CapacityBytes <= 0 {
			continue
		}
		fill := float64(m.stored[b.ID]) / float64(b.CapacityBytes)
		fills, firsts = append(fills, fill), append(firsts, float64(m.first[b.ID]))
		m.q.FillMost = max(m.q.FillMost, fill)
		if m.in[b.ID] > 0 && fill > 1-headroom+1e-12 {
			m.q.Full++
		}
	}
	m.q.FillSpread, _ = deviation(fills)
	if dev, mean := deviation(firsts); mean > 0 {
		m.q.LeaderSpread = dev / mean
	}
}

func deviation(list []float64) (dev, mean float64) {
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		dev += (x - mean) * (x - mean) / float64(len(list))
	}
	return math.Sqrt(dev), mean
}
