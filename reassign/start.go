package reassign

import (
	"slices"

	"drain/plan"
)

// Start is a cluster before a run, as far as the circuit breaker goes by it:
// what was wrong then is no reason to pause. The partitions are sorted.
type Start struct {
	Live       []int32               // brokers
	Leaderless []plan.TopicPartition // partitions without a leader
	UnderMin   []plan.TopicPartition // with fewer in sync than their effective minimum
	Voters     []int32               // of the quorum, that kept up; nil: not known
}

// StartOf is the start of a run on that cluster.
func StartOf(c *plan.Cluster) Start {
	s := Start{Voters: keepUp(c.Quorum)}
	for _, b := range c.Brokers {
		if b.Live() {
			s.Live = append(s.Live, b.ID)
		}
	}
	for i := range c.NumPartitions() {
		p := c.Partition(i)
		if p.Leader == plan.NoLeader {
			s.Leaderless = append(s.Leaderless, c.Name(i))
		}
		if c.UnderMinISR(i) {
			s.UnderMin = append(s.UnderMin, c.Name(i))
		}
	}
	return s
}

// holds says that a sorted list holds the partition.
func holds(list []plan.TopicPartition, of plan.TopicPartition) bool {
	_, found := slices.BinarySearchFunc(list, of, plan.TopicPartition.Compare)
	return found
}

// keepUp lists the voters that are not behind.
func keepUp(q *plan.Quorum) []int32 {
	if q == nil {
		return nil
	}
	voters := []int32{}
	for _, v := range q.Voters {
		if !slices.Contains(q.Lagging, v.ID) {
			voters = append(voters, v.ID)
		}
	}
	return voters
}
