package executor

import "drain/plan"

// health is how a cluster was: every partition that is not among the sick was
// well.
type health struct {
	live []int32 // brokers
	sick map[Partition]Health
	more bool // a record with the rest is still to come
}

// healthOf is how the partition with index i is.
func healthOf(c *plan.Cluster, i int) Health {
	p := c.Partition(i)
	return Health{
		Partition:  Partition(c.Name(i)),
		Leaderless: p.Leader == plan.NoLeader,
		UnderMin:   c.UnderMinISR(i),
		Missing:    len(p.Replicas) - p.InSync(),
	}
}

func (h Health) well() bool { return !h.Leaderless && !h.UnderMin && h.Missing == 0 }

// sick are the partitions that are not well, in order.
func sick(c *plan.Cluster) []Health {
	var all []Health
	for i := range c.NumPartitions() {
		if h := healthOf(c, i); !h.well() {
			all = append(all, h)
		}
	}
	return all
}

// live are the brokers that are live, in order.
func live(c *plan.Cluster) []int32 {
	var ids []int32
	for _, b := range c.Brokers {
		if b.Live() {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// worse are the partitions that are worse than h, as what is wrong with them.
// A replica on one of the brokers that have left or are leaving may be missing:
// that is what was asked for, and judged before.
func (h health) worse(c *plan.Cluster, leaving []int32) []plan.Finding {
	var all []plan.Finding
	for i := range c.NumPartitions() {
		now := healthOf(c, i)
		if now.well() {
			continue
		}
		if what := h.difference(now, onAny(c.Partition(i), leaving)); what != "" {
			name := c.Name(i)
			all = append(all, plan.Finding{
				Level: plan.Block, Risk: "worse-than-before", Topic: name.Topic, Partition: name.Partition, Broker: none,
				Message: name.String() + " " + what, Remedy: "mend it, and run again",
			})
		}
	}
	return all
}

// difference says in what way now is worse than before, or "".
func (h health) difference(now Health, leaving int) string {
	before := h.sick[now.Partition]
	switch {
	case now.Leaderless && !before.Leaderless:
		return "has no leader, and had one before"
	case now.UnderMin && !before.UnderMin:
		return "is under its min ISR, and was not before"
	case now.Missing > before.Missing+leaving:
		return "has fewer replicas in sync than before"
	}
	return ""
}

// onAny is how many of the brokers hold a replica of p.
func onAny(p plan.PartitionView, brokers []int32) int {
	n := 0
	for _, b := range brokers {
		if p.Holds(b) {
			n++
		}
	}
	return n
}
