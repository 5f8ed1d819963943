package plan

import "fmt"

// belowMinISR are moved topics with partitions of fewer replicas than their
// min.insync.replicas. In effect their minimum is the number of replicas, until
// a move makes the list longer: then acks=all fails as long as the copy takes
// (Partition.effectiveMinIsr, KAFKA-15583 in 3.7). A topic of which that holds
// for every partition gets an override while it moves; where some partitions
// have more replicas it would weaken those.
func belowMinISR(d *drain, p *Plan) []Finding {
	return d.byTopic(d.shortOfMinISR(), func(topic, n int) Finding {
		name, minISR := d.c.Topics[topic].Name, d.c.MinISR(topic)
		least, most := d.replication(topic)
		f := Finding{
			Level: Warn, Risk: "min-isr-unreachable",
			Message: fmt.Sprintf("%s of topic %s with %s: their min.insync.replicas %d can never be met", count(n, "partition"), name, count(least, "replica"), minISR),
			Remedy:  "none needed for the drain; raise the replication factor or lower min.insync.replicas",
		}
		switch {
		case !d.c.limitsMinISR():
			f.Message += ": writes with acks=all fail already"
		case least == most && !d.hasELR(topic):
			f.Message += fmt.Sprintf("; it is set to %d while they move, since the longer list would stop writes with acks=all", least)
		default:
			f.Level, f.Risk = Block, "rf-below-min-isr"
			f.Message = fmt.Sprintf("%s of topic %s with fewer replicas than min.insync.replicas %d: writes with acks=all would fail while they are copied, and an override for the topic would weaken %s",
				count(n, "partition"), name, minISR, d.weakened(topic))
			f.Remedy = "give all partitions of the topic one replication factor, or set its min.insync.replicas to the lowest one"
		}
		return f
	})
}

// weakened says what an override of the topic would do harm to.
func (d *drain) weakened(topic int) string {
	if d.hasELR(topic) {
		return "it: changing the setting wipes its eligible leader replicas"
	}
	return "its partitions with more replicas"
}

// shortOfMinISR lists the planned partitions with fewer replicas than their min
// ISR.
func (d *drain) shortOfMinISR() []int32 {
	last, minISR := int32(-1), 0
	return d.planned(func(i int32) bool {
		if topic := d.c.partitions.topic[i]; topic != last {
			last, minISR = topic, d.c.MinISR(int(topic))
		}
		return len(d.c.partitions.list(int(i))) < minISR
	})
}

// overrides are the settings that belowMinISR speaks of.
func (d *drain) overrides() []Override {
	var list []Override
	d.byTopic(d.shortOfMinISR(), func(topic, _ int) Finding {
		least, most := d.replication(topic)
		if d.c.limitsMinISR() && least == most && !d.hasELR(topic) {
			list = append(list, Override{d.c.Topics[topic].Name, least})
		}
		return Finding{}
	})
	return list
}

// replication is the least and the largest number of replicas of a topic's
// partitions, those of a move in flight aside.
func (d *drain) replication(topic int) (least, most int) {
	first := d.c.Topics[topic].First
	for i := first; i < first+d.c.Topics[topic].Count; i++ {
		v := d.c.Partition(i)
		rf := len(v.Replicas) - len(v.Adding)
		if i == first {
			least = rf
		}
		least, most = min(least, rf), max(most, rf)
	}
	return least, most
}

func (d *drain) hasELR(topic int) bool {
	first := d.c.Topics[topic].First
	for i := first; i < first+d.c.Topics[topic].Count; i++ {
		if len(d.c.Partition(i).ELR) > 0 {
			return true
		}
	}
	return false
}

// limitsMinISR says that the number of replicas limits min.insync.replicas, as
// it does since 3.7.
func (c *Cluster) limitsMinISR() bool {
	return c.release().AtLeast(3, 7)
}

// singleReplicas can be read from the drained broker only: it must stay up to
// the end of their moves.
func singleReplicas(d *drain, _ *Plan) []Finding {
	single := d.planned(func(i int32) bool { return len(d.c.partitions.list(int(i))) == 1 })
	return d.byTopic(single, func(topic, n int) Finding {
		return Finding{
			Level: Warn, Risk: "rf-1",
			Message: fmt.Sprintf("%s of topic %s with a single replica: only the drained broker holds what is in them until it is copied", count(n, "partition"), d.c.Topics[topic].Name),
			Remedy:  "none needed for the drain; the broker has to stay up until it has ended",
		}
	})
}
