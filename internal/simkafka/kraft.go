package simkafka

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"

	"drain/election"
	"drain/plan"
)

// kraft is the controller of KRaft clusters. What becomes of a partition is
// package election's word; what a client may ask is checked here
// (ReplicationControlManager).
type kraft struct{ *model }

func (k kraft) setISR(p *partition, isr []int32) { k.alter(p, k.ballot(p), isr) }

func (k kraft) alter(p *partition, next election.Partition, isr []int32) {
	k.write(p, k.rules().Alter(next, k.active, isr))
}

func (k kraft) shutDown(b *broker) { k.left(b) }

func (k kraft) left(b *broker) {
	k.eachPartition(func(p *partition) {
		if slices.Contains(p.ISR, b.id) {
			k.write(p, k.rules().Leave(k.ballot(p), k.active, b.id))
		}
	})
}

func (k kraft) lost(b *broker, of []*partition) {
	for _, p := range of {
		before := k.ballot(p)
		before.Offline = without(before.Offline, b.id) // the dir has failed by now
		k.write(p, k.rules().FailDir(before, k.active, b.id))
	}
}

// back gives leaders to the partitions that wait for the broker. One that did
// not stop cleanly registers as such first.
func (k kraft) back(b *broker) {
	k.eachPartition(func(p *partition) {
		if b.unclean {
			k.write(p, k.rules().Restart(k.ballot(p), k.active, b.id))
		}
		if p.Leader == plan.NoLeader {
			k.write(p, k.rules().Unfence(k.ballot(p), k.active, b.id))
		}
	})
}

// elect is electLeader. To prefer a leader is to try it as if it led already:
// the election keeps a leader that is valid.
func (k kraft) elect(p *partition, unclean bool) *refusal {
	if unclean {
		return k.electAnyone(p)
	}
	if p.Leader == p.Replicas[0] {
		return refuse(kerr.ElectionNotNeeded, "")
	}
	preferred := k.ballot(p)
	preferred.Leader = p.Replicas[0]
	next := k.rules().Alter(preferred, k.active, p.ISR)
	if next.Leader == p.Leader || next.Leader == plan.NoLeader {
		return refuse(kerr.PreferredLeaderNotAvailable, "")
	}
	k.write(p, next)
	return nil
}

// electAnyone is an election of type UNCLEAN, which no setting forbids.
func (k kraft) electAnyone(p *partition) *refusal {
	if p.Leader != plan.NoLeader {
		return refuse(kerr.ElectionNotNeeded, "")
	}
	next := k.rules().ElectUnclean(k.ballot(p), k.active)
	if next.Leader == plan.NoLeader {
		return refuse(kerr.EligibleLeadersNotAvailable, "")
	}
	k.write(p, next)
	return nil
}

// reassign builds the full list (target, then those leaving by number) out of
// the current one, whatever is in flight, and takes over adding and removing
// only where they are not empty: the damage of an overridden move included
// (changePartitionReassignment, PartitionReassignmentReplicas).
func (k kraft) reassign(p *partition, target []int32) *refusal {
	if no := k.placeable(target); no != nil {
		return no
	}
	next := k.ballot(p)
	adding, removing := without(target, p.Replicas...), without(p.Replicas, target...)
	slices.Sort(adding)
	slices.Sort(removing)
	next.Replicas = slices.Concat(target, removing)
	if len(adding) > 0 {
		next.Adding = adding
	}
	if len(removing) > 0 {
		next.Removing = removing
	}
	k.alter(p, next, p.ISR)
	return nil
}

// placeable is validateManualPartitionAssignment: every broker of the list is
// looked at, those that hold the partition already too.
func (k kraft) placeable(list []int32) *refusal {
	if no := wellFormed(list); no != nil {
		return no
	}
	for _, id := range list {
		if !k.registered(id) {
			return refuse(kerr.InvalidReplicaAssignment, "The manual partition assignment includes broker %d, but no such broker is registered.", id)
		}
		if k.release.refusesCordoned() && k.cordoned(k.brokers[id]) {
			return refuse(kerr.InvalidReplicaAssignment, "The manual partition assignment includes broker %d, but all its log directories are cordoned.", id)
		}
	}
	return nil
}

func wellFormed(list []int32) *refusal {
	if len(list) == 0 {
		return refuse(kerr.InvalidReplicaAssignment, "The manual partition assignment includes an empty replica list.")
	}
	for i, id := range list {
		if slices.Contains(list[:i], id) {
			return refuse(kerr.InvalidReplicaAssignment, "The manual partition assignment includes the broker %d more than once.", id)
		}
	}
	return nil
}

// cancel takes the adding replicas out of the list, whose order stays
// (cancelPartitionReassignment, PartitionReassignmentRevert).
func (k kraft) cancel(p *partition) *refusal {
	if !p.inFlight() {
		return refuse(kerr.NoReassignmentInProgress, "")
	}
	next, isr := k.ballot(p), without(p.ISR, p.Adding...)
	next.Replicas, next.Adding, next.Removing = without(p.Replicas, p.Adding...), nil, nil
	if len(isr) == 0 {
		if next.Unclean != election.On || len(next.Replicas) == 0 {
			return refuse(kerr.InvalidReplicaAssignment,
				"Unable to revert partition assignment for %v because it would require an unclean leader election.", p.name())
		}
		isr = next.Replicas[:1:1]
	}
	k.alter(p, next, isr)
	return nil
}
