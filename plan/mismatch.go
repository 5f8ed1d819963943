package plan

import (
	"fmt"
	"slices"
)

// comparison tells how the cluster differs from what a saved plan was made for.
type comparison struct {
	saved, now *Plan
	c          *Cluster
	r          *Request
}

// mismatch is the risk word.
const mismatch = "plan-mismatch"

func (v *comparison) finding(broker int32, format string, args ...any) Finding {
	f := Finding{
		Level: Block, Risk: mismatch, Partition: -1, Broker: broker, Message: fmt.Sprintf(format, args...),
		Remedy: "make a new plan with drain plan --output json, or accept the risk: what differs is then planned anew",
	}
	if v.r.accepts(mismatch) {
		f.Level = Warn
	}
	return f
}

func (v *comparison) about(name TopicPartition, format string, args ...any) Finding {
	f := v.finding(-1, "%v %s", name, fmt.Sprintf(format, args...))
	f.Topic, f.Partition = name.Topic, name.Partition
	return f
}

// differences are all that there are; where the plan is for something else
// altogether, only that.
func (v *comparison) differences() []Finding {
	if whole := v.wholly(); len(whole) > 0 {
		return whole
	}
	now := make(map[TopicPartition]*Move, len(v.now.Moves))
	for i := range v.now.Moves {
		now[v.now.Moves[i].TopicPartition] = &v.now.Moves[i]
	}
	var found []Finding
	for i := range v.saved.Moves {
		m := &v.saved.Moves[i]
		if n := now[m.TopicPartition]; n == nil || !slices.Equal(n.Before, m.Before) || !slices.Equal(n.After, m.After) || remade(v.c, m) {
			found = append(found, v.changed(m, n))
		}
	}
	return append(found, v.more()...)
}

// wholly are the reasons why the plan is for something else.
func (v *comparison) wholly() []Finding {
	var found []Finding
	if v.saved.Cluster != "" && v.c.ID != "" && v.saved.Cluster != v.c.ID {
		found = append(found, v.finding(-1, "the plan is for cluster %s, and this is %s", v.saved.Cluster, v.c.ID))
	}
	// Brokers of the plan that were stopped meanwhile are among the draining ones.
	brokers := slices.Clone(v.r.Brokers)
	for _, id := range v.saved.Brokers {
		if !slices.Contains(brokers, id) && slices.Contains(v.r.Draining, id) {
			brokers = append(brokers, id)
		}
	}
	if slices.Sort(brokers); !sameSet(v.saved.Brokers, brokers) {
		found = append(found, v.finding(-1, "the plan drains brokers %s, and the runbook %s", JoinIDs(v.saved.Brokers), JoinIDs(brokers)))
	}
	if v.saved.Mode != v.r.Mode {
		found = append(found, v.finding(-1, "the plan is of mode %v, and the runbook says %v", v.saved.Mode, v.r.Mode))
	}
	return found
}

// changed says why a saved move is not the one that is planned now.
func (v *comparison) changed(m, now *Move) Finding {
	i, there := v.c.Find(m.TopicPartition)
	switch {
	case !there:
		return v.about(m.TopicPartition, "is in the plan and no longer in the cluster")
	case remade(v.c, m):
		return v.about(m.TopicPartition, "is of a topic that was deleted since the plan, and made again")
	case !slices.Equal(v.c.Partition(i).Replicas, m.Before):
		return v.about(m.TopicPartition, "has the replicas %v, and had %v when the plan was made", v.c.Partition(i).Replicas, m.Before)
	}
	for _, id := range m.To {
		if why := v.barred(id); why != "" {
			f := v.about(m.TopicPartition, "was to go to broker %d, which %s", id, why)
			f.Broker = id
			return f
		}
	}
	if now == nil {
		return v.about(m.TopicPartition, "was to go to %s, and has to stay", JoinIDs(m.To))
	}
	return v.about(m.TopicPartition, "does not go to %s as the plan says: there is no room, or its racks are others now; it would go to %s", JoinIDs(m.To), JoinIDs(now.To))
}

// barred says why a broker may not receive, or nothing.
func (v *comparison) barred(id int32) string {
	b, known := v.c.Broker(id)
	switch {
	case !known:
		return "is not known"
	case !b.Live():
		return "is not alive"
	case b.Cordoned:
		return "is cordoned"
	case slices.Contains(v.r.Draining, id) || slices.Contains(v.r.Brokers, id):
		return "is drained itself"
	case !v.r.mayReceive(&b):
		return "may not receive by the runbook"
	}
	return ""
}

// more are partitions on the drained brokers that the plan knows nothing of, or
// leaves where they are and that are to be moved now.
func (v *comparison) more() []Finding {
	moves, left := map[TopicPartition]bool{}, map[TopicPartition]bool{}
	for i := range v.saved.Moves {
		moves[v.saved.Moves[i].TopicPartition] = true
	}
	for _, name := range v.saved.Left {
		left[name] = true
	}
	var found []Finding
	for i := range v.now.Moves {
		switch name := v.now.Moves[i].TopicPartition; {
		case moves[name]:
		case left[name]:
			found = append(found, v.about(name, "stays by the plan, and would be moved now"))
		default:
			found = append(found, v.about(name, "is not in the plan, and would be moved now"))
		}
	}
	for _, name := range v.now.Left {
		if !moves[name] && !left[name] {
			found = append(found, v.about(name, "is not in the plan"))
		}
	}
	return found
}
