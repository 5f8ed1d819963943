package plan

import "slices"

// asFound is the cluster with lists in the order that an earlier run of this drain
// found, as far as it asked for moves of them that are not in flight. Leadership
// may have been handed on for the time of the copying: a plan from such a list
// would leave it there for good, and a saved plan would not know it again. The
// arrays of c stay as they are.
func asFound(c Cluster, own []Move) Cluster {
	own = slices.DeleteFunc(slices.Clone(own), func(m Move) bool {
		i, there := c.Find(m.TopicPartition)
		return !there || remade(&c, &m) || !handedOn(c.Partition(i), m)
	})
	if len(own) == 0 {
		return c
	}
	c.partitions.replicas = slices.Clone(c.partitions.replicas)
	for _, m := range own {
		i, _ := c.Find(m.TopicPartition)
		copy(c.partitions.list(i), m.Before)
	}
	return c
}

// handedOn says that a partition waits for its move with its list in another order.
func handedOn(v PartitionView, m Move) bool {
	return !v.InFlight() && sameSet(v.Replicas, m.Before) && !slices.Equal(v.Replicas, m.Before)
}

// leadsOn is who was handed leadership by an earlier run, leads now and goes on
// doing so while the move copies, or NoLeader.
func (d *drain) leadsOn(t *task, m *Move) int32 {
	was, again := d.own[m.TopicPartition]
	if !again || was.LeadsDuring == NoLeader || t.reader != t.leadsNow || !slices.Contains(m.After, m.Leader) {
		return NoLeader
	}
	return m.Leader
}
