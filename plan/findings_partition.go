package plan

import (
	"fmt"
	"slices"

	"drain/election"
)

// foreignMoves are reassignments that somebody else has under way. A second
// target for such a partition would override the first (the last writer wins
// silently: ReplicationControlManager.changePartitionReassignment), so it is left alone.
func foreignMoves(d *drain, _ *Plan) []Finding {
	var found []Finding
	for _, i := range d.fates[foreign] {
		v := d.c.Partition(int(i))
		found = append(found, d.about(i, Finding{
			Level: d.unlessSafe(i), Risk: "foreign-move", Broker: -1,
			Message: fmt.Sprintf("%v is being moved by somebody else: adding %v, removing %v", d.c.Name(int(i)), v.Adding, v.Removing),
			Remedy:  "wait until that move has ended (waitForForeign), or have it cancelled",
		}))
	}
	return found
}

// unlessSafe is Block, but for a partition that may stay as it is, since mode
// at-risk asks only that the stop does not make it worse.
func (d *drain) unlessSafe(partition int32) Level {
	if d.r.Mode == AtRisk && d.risks.of(int(partition)).Outcome.Safe() {
		return Warn
	}
	return Block
}

// leaderless are partitions without a live in-sync replica: nothing can be
// copied, and what only a drained broker holds would be lost.
func leaderless(d *drain, _ *Plan) []Finding {
	var found []Finding
	for _, i := range d.fates[lost] {
		v := d.c.Partition(int(i))
		found = append(found, d.about(i, Finding{
			Level: d.unlessSafe(i), Risk: "leaderless", Broker: -1,
			Message: fmt.Sprintf("%v has no live replica in sync, so nothing can be copied: replicas %v, in sync %v", d.c.Name(int(i)), v.Replicas, v.ISR),
			Remedy:  fmt.Sprintf("bring one of %v back first; drain diagnose tells more", v.wanted()),
		}))
	}
	return found
}

// wanted are the replicas that are the most likely to have everything.
func (p PartitionView) wanted() []int32 {
	for _, ids := range [][]int32{slices.Concat(p.ISR, p.ELR), p.LastKnownELR} {
		if len(ids) > 0 {
			return ids
		}
	}
	return p.Replicas
}

// excludedTopics are those whose replicas stay, so that the broker is not empty.
func excludedTopics(d *drain, p *Plan) []Finding {
	level := Block
	if p.Mode == AtRisk {
		level = Warn
	}
	return d.byTopic(d.fates[excluded], func(topic, n int) Finding {
		return Finding{
			Level: level, Risk: "excluded-topics",
			Message: fmt.Sprintf("topic %[2]s is excluded: %[1]s of it on the drained brokers", count(n, "partition"), d.c.Topics[topic].Name),
			Remedy:  "take the topic out of excludeTopics, or use mode at-risk",
		}
	})
}

// excludedAtRisk are partitions of excluded topics that the stop would harm: the
// gate would refuse them once everything else has moved.
func excludedAtRisk(d *drain, _ *Plan) []Finding {
	if len(d.fates[excluded]) == 0 {
		return nil
	}
	k := d.risks
	if k == nil {
		k = newRisks(d.c, d.r.Brokers)
	}
	var found []Finding
	for _, i := range d.fates[excluded] {
		res := k.of(int(i))
		if res.Outcome.Safe() {
			continue
		}
		found = append(found, d.about(i, Finding{
			Level: Block, Risk: OutcomeRisk(res.Outcome), Broker: -1,
			Message: fmt.Sprintf("%v is of an excluded topic and would be %v once the drained brokers are stopped: %s", d.c.Name(int(i)), res.Outcome, res.Reason()),
			Remedy:  "take the topic out of excludeTopics",
		}))
	}
	return found
}

// underReplicated are moves with a replica that stays and is not in sync.
func underReplicated(d *drain, _ *Plan) []Finding {
	var found []Finding
	for i := range d.tasks {
		t := &d.tasks[i]
		if t.synced {
			continue
		}
		v := d.c.Partition(int(t.partition))
		var behind []int32
		for _, id := range v.Replicas {
			if !slices.Contains(d.r.Brokers, id) && !d.canLead(v, id) {
				behind = append(behind, id)
			}
		}
		if len(behind) == 0 {
			continue
		}
		found = append(found, d.about(t.partition, Finding{
			Level: Warn, Risk: "under-replicated", Broker: behind[0],
			Message: fmt.Sprintf("%v is under-replicated on a broker that stays: %v not in sync. %s", d.c.Name(int(t.partition)), behind, d.completion()),
			Remedy:  fmt.Sprintf("bring %v back in sync first", behind),
		}))
	}
	return found
}

// completion says what a replica that stays out of sync means for a move. The
// rules differ by release (KAFKA-15665 in 3.8, KAFKA-19975 in 4.3).
func (d *drain) completion() string {
	if d.c.waitsForAll() {
		return "Its move cannot complete before all of its replicas are in sync"
	}
	return "Its move completes without it, and may leave too few in sync"
}

// waitsForAll says that a reassignment completes only once every replica of the
// target is in sync.
func (c *Cluster) waitsForAll() bool {
	if c.Mode == ZooKeeper {
		return true
	}
	if r := c.release(); r != (election.Release{}) {
		return r.AtLeast(3, 8) && r.Before(4, 3)
	}
	// From 4.3 the newest metadata.version is 30; 3.8 to 4.2 have 20 to 29.
	return c.MetadataVersion >= 20 && c.MetadataVersion < 30
}

// cordonedSurvivors are moves whose list keeps a cordoned broker. From 4.3.2
// and 4.4.0 a controller refuses such a list (KAFKA-20832).
func cordonedSurvivors(d *drain, _ *Plan) []Finding {
	r := d.c.release()
	if r.Before(4, 3) {
		return nil
	}
	level := Warn
	if r != (election.Release{}) && r.AtLeast(4, 4) {
		level = Block
	}
	if !slices.ContainsFunc(d.c.Brokers, func(b Broker) bool { return b.Cordoned }) {
		return nil
	}
	var found []Finding
	for i := range d.tasks {
		t := &d.tasks[i]
		for _, id := range d.replicasOf(t) {
			b, known := d.c.Broker(id)
			if !known || !b.Cordoned || slices.Contains(d.r.Brokers, id) {
				continue
			}
			found = append(found, d.about(t.partition, Finding{
				Level: level, Risk: "cordoned-survivor", Broker: id,
				Message: fmt.Sprintf("%v keeps a replica on broker %d, which is cordoned: a controller from 4.3.2 refuses such a list", d.c.Name(int(t.partition)), id),
				Remedy:  fmt.Sprintf("uncordon broker %d, or drain it together with these", id),
			}))
		}
	}
	return found
}

// unknownSizes are topics of which nobody could tell how large a partition is:
// neither time nor room is sure.
func unknownSizes(d *drain, _ *Plan) []Finding {
	unknown := d.planned(func(i int32) bool { return d.c.partitions.size[i] < 0 })
	return d.byTopic(unknown, func(topic, n int) Finding {
		return Finding{
			Level: Warn, Risk: "unknown-size",
			Message: fmt.Sprintf("the size of %s of topic %s is unknown: time and room are planned without", count(n, "partition"), d.c.Topics[topic].Name),
			Remedy:  "let the login describe log dirs (DESCRIBE on Cluster), or bring their leaders back; a snapshot has them if it is taken with --broker",
		}
	})
}

// internalTopics are moved like others, but each new leader has to load its
// partition before it serves groups or transactions.
func internalTopics(d *drain, _ *Plan) []Finding {
	last, is := int32(-1), false
	internal := d.planned(func(i int32) bool {
		if topic := d.c.partitions.topic[i]; topic != last {
			last, is = topic, IsInternal(d.c.Topics[topic].Name)
		}
		return is
	})
	return d.byTopic(internal, func(topic, n int) Finding {
		return Finding{
			Level: Warn, Risk: "internal-topic",
			Message: fmt.Sprintf("%s of %s to move: groups or transactions wait while a new leader loads its partition", count(n, "partition"), d.c.Topics[topic].Name),
			Remedy:  "none needed; clients retry",
		}
	})
}
