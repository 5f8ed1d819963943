package plan_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"drain/plan"
)

// A run that was interrupted once leadership was handed on goes on with the plan
// that it was given, and finds the order that was there before.
func TestASavedPlanOutlivesThatLeadershipIsHandedOn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := randomCluster(rt)
		r := randomRequest(rt, c)
		p, err := plan.Compute(c, r)
		if err != nil {
			rt.Fatal(err)
		}
		if len(p.Blocked()) > 0 {
			return // nobody may carry it out
		}
		r.Own = p.Moves
		q, err := plan.Saved(p)(handedOn(rt, c, p), r)
		if err != nil {
			rt.Fatal(err)
		}
		if len(q.Moves) != len(p.Moves) {
			rt.Fatalf("got %d moves, want %d", len(q.Moves), len(p.Moves))
		}
		for i, m := range p.Moves {
			n := q.Moves[i]
			if !slices.Equal(n.Before, m.Before) || !slices.Equal(n.After, m.After) || leads(n) != leads(m) {
				rt.Errorf("got %v %v -> %v, led by %d; want %v -> %v, led by %d", n.TopicPartition, n.Before, n.After, leads(n), m.Before, m.After, leads(m))
			}
		}
	})
}

// leads is who leads while a move copies.
func leads(m plan.Move) int32 {
	if m.LeadsDuring == plan.NoLeader {
		return m.Leader
	}
	return m.LeadsDuring
}

// handedOn is the cluster once leadership is where it is to be while the moves
// copy, by another order.
func handedOn(rt *rapid.T, c plan.Cluster, p plan.Plan) plan.Cluster {
	leads := map[plan.TopicPartition]int32{}
	for _, m := range p.Moves {
		leads[m.TopicPartition] = m.LeadsDuring
	}
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: c.MinISRDefault, ELR: c.ELR}}
	for _, broker := range c.Brokers {
		b.Broker(broker)
	}
	for _, topic := range c.Topics {
		b.Topic(topic)
		for i := topic.First; i < topic.First+topic.Count; i++ {
			v := c.Partition(i)
			if to, ok := leads[c.Name(i)]; ok && slices.Contains(v.Replicas, to) {
				list := slices.DeleteFunc(slices.Clone(v.Replicas), func(id int32) bool { return id == to })
				v.Replicas, v.Leader = slices.Insert(list, 0, to), to
			}
			b.Partition(v)
		}
	}
	out, err := b.Cluster()
	if err != nil {
		rt.Fatal(err)
	}
	return out
}
