package executor

import (
	"fmt"
	"slices"

	"drain/plan"
)

// skipped is a move that cannot be taken back, and why.
type skipped struct {
	plan.TopicPartition
	why string
}

// back is the plan that puts back what a drain moved, as far as nothing has
// changed since: lists in the order they had, and with it the preferred leader.
// Nothing is counted. It is pure.
func back(c *plan.Cluster, moves []plan.Move) (plan.Plan, []skipped) {
	var p plan.Plan
	var not []skipped
	for _, m := range moves {
		if why := changedSince(c, m); why != "" {
			not = append(not, skipped{m.TopicPartition, why})
			continue
		}
		i, _ := c.Find(m.TopicPartition)
		if slices.Equal(c.Partition(i).Replicas, m.Before) {
			continue // there already
		}
		p.Moves = append(p.Moves, reversed(c.Partition(i), m))
	}
	p.Moves, p.Overrides, not = covered(c, p.Moves, not)
	return p, not
}

// changedSince says what keeps a move from being taken back, or "".
func changedSince(c *plan.Cluster, m plan.Move) string {
	i, ok := c.Find(m.TopicPartition)
	if !ok {
		return "it is gone"
	}
	v := c.Partition(i)
	switch {
	case m.TopicID != [16]byte{} && c.Topics[v.Topic].ID != m.TopicID:
		return "its topic was made anew"
	case v.InFlight():
		return "it is being moved"
	case !sameMembers(v.Replicas, m.After) && !sameMembers(v.Replicas, m.Before):
		return fmt.Sprintf("its replicas are %v, and the drain left them on %v", v.Replicas, m.After)
	}
	for _, id := range m.From {
		if !c.Live(id) {
			return fmt.Sprintf("broker %d is not alive", id)
		}
	}
	return ""
}

func sameMembers(a, b []int32) bool {
	return slices.Equal(union(a, nil), union(b, nil))
}

// reversed is the move back from where the partition is now.
func reversed(v plan.PartitionView, m plan.Move) plan.Move {
	r := plan.Move{
		TopicPartition: m.TopicPartition, TopicID: m.TopicID,
		Before: slices.Clone(v.Replicas), After: m.Before,
		From: without(v.Replicas, m.Before), To: without(m.Before, v.Replicas),
		Leader: v.Leader, LeadsDuring: plan.NoLeader, LeadsFirst: m.Before[0],
	}
	if m.Helper {
		r.Wave = 1 // it comes back once what took its place has left
	}
	if len(r.To) > 0 {
		r.Bytes = sizeOf(v, m) * int64(len(r.To))
	}
	if slices.Contains(m.Before, v.Leader) {
		r.LeadsDuring = v.Leader
	}
	return r
}

// sizeOf is how large a partition is, or was when it was moved: the brokers that
// hold it now are not asked for their logs.
func sizeOf(v plan.PartitionView, m plan.Move) int64 {
	if v.SizeBytes < 0 && len(m.To) > 0 {
		return m.Bytes / int64(len(m.To))
	}
	return max(0, v.SizeBytes)
}

// covered finds the settings that have to stand while these moves are made: as
// when the replicas left, a longer list must not stop writes (see
// plan.Override). Moves that cannot be covered are not made.
func covered(c *plan.Cluster, moves []plan.Move, not []skipped) ([]plan.Move, []plan.Override, []skipped) {
	var overrides []plan.Override
	kept := slices.DeleteFunc(moves, func(m plan.Move) bool {
		t, _ := c.Topic(m.Topic)
		factor := len(m.After)
		if len(m.To) == 0 || factor >= c.MinISR(t) {
			return false
		}
		if !uniform(c, t, factor) {
			not = append(not, skipped{m.TopicPartition, "writes would fail meanwhile: it has fewer replicas than min.insync.replicas, and other partitions of the topic have more"})
			return true
		}
		if !slices.ContainsFunc(overrides, func(o plan.Override) bool { return o.Topic == m.Topic }) {
			overrides = append(overrides, plan.Override{Topic: m.Topic, MinISR: factor})
		}
		return false
	})
	return kept, overrides, not
}

// uniform says that every partition of the topic has that many replicas, and no
// eligible leader replicas, which a change of the setting would wipe.
func uniform(c *plan.Cluster, topic, factor int) bool {
	t := c.Topics[topic]
	for i := t.First; i < t.First+t.Count; i++ {
		v := c.Partition(i)
		if len(v.Replicas)-len(v.Adding) != factor || len(v.ELR) > 0 {
			return false
		}
	}
	return true
}
