package simkafka

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"

	"drain/election"
	"drain/plan"
)

// zookeeper is the controller of 3.9 and before (KafkaController).
type zookeeper struct{ *model }

// setISR ends a move once all of its target are in sync
// (isReassignmentComplete).
func (z zookeeper) setISR(p *partition, isr []int32) {
	next := z.ballot(p)
	next.ISR = isr
	z.write(p, z.completed(p, next))
}

func (z zookeeper) completed(p *partition, next election.Partition) election.Partition {
	target := without(next.Replicas, next.Removing...)
	if len(next.Adding)+len(next.Removing) == 0 || !containsAll(next.ISR, target) {
		return next
	}
	next.ISR = without(next.ISR, next.Removing...)
	if !slices.Contains(target, next.Leader) || !z.active(next.Leader) {
		next.Leader = z.firstLive(p, target, next.ISR)
	}
	next.Replicas, next.Adding, next.Removing = target, nil, nil
	return next
}

func (z zookeeper) firstLive(p *partition, list, isr []int32) int32 {
	for _, id := range list {
		if slices.Contains(isr, id) && z.active(id) && z.online(p, id) {
			return id
		}
	}
	return plan.NoLeader
}

func (z zookeeper) shutDown(b *broker) {
	var stopping []int32
	for _, other := range z.sortedBrokers() {
		if other.state == plan.ShuttingDown {
			stopping = append(stopping, other.id)
		}
	}
	z.eachPartition(func(p *partition) {
		z.write(p, z.rules().Retire(z.ballot(p), z.active, stopping, b.id))
	})
}

func (z zookeeper) left(b *broker) {
	z.eachPartition(func(p *partition) {
		z.write(p, z.rules().Vanish(z.ballot(p), z.active, []int32{b.id}))
	})
}

func (z zookeeper) lost(b *broker, of []*partition) {
	for _, p := range of {
		z.write(p, z.rules().Vanish(z.ballot(p), z.active, []int32{b.id}))
	}
}

func (z zookeeper) back(*broker) {
	z.eachPartition(func(p *partition) {
		z.write(p, z.rules().Online(z.ballot(p), z.active))
	})
}

func (z zookeeper) elect(p *partition, unclean bool) *refusal {
	if unclean {
		return z.electAnyone(p)
	}
	first := p.Replicas[0]
	if p.Leader == first {
		return refuse(kerr.ElectionNotNeeded, "")
	}
	if z.firstLive(p, p.Replicas[:1], p.ISR) != first {
		return refuse(kerr.PreferredLeaderNotAvailable, "")
	}
	next := z.ballot(p)
	next.Leader = first
	z.write(p, next)
	return nil
}

func (z zookeeper) electAnyone(p *partition) *refusal {
	if p.Leader != plan.NoLeader && z.active(p.Leader) {
		return refuse(kerr.ElectionNotNeeded, "")
	}
	next := z.rules().ElectUnclean(z.ballot(p), z.active)
	if next.Leader == p.Leader {
		return refuse(kerr.EligibleLeadersNotAvailable, "")
	}
	z.write(p, next)
	return nil
}

// reassign starts from the list before any move: a second target replaces the
// first, and replicas that only the first one named are stopped at once, the
// leader among them or not (updateCurrentReassignment, KAFKA-14808).
func (z zookeeper) reassign(p *partition, target []int32) *refusal {
	if no := z.placeable(p, target); no != nil {
		return no
	}
	next, origin := z.ballot(p), without(p.Replicas, p.Adding...)
	next.Adding, next.Removing = without(target, origin...), without(origin, target...)
	next.Replicas = slices.Concat(target, next.Removing)
	next.ISR = without(p.ISR, without(p.ISR, next.Replicas...)...)
	if !slices.Contains(next.Replicas, next.Leader) {
		next.Leader = plan.NoLeader
	}
	z.write(p, z.completed(p, next))
	return nil
}

// placeable is validateReplicas: only added brokers must be live.
func (z zookeeper) placeable(p *partition, target []int32) *refusal {
	if no := wellFormed(target); no != nil {
		return no
	}
	for _, id := range without(target, p.Replicas...) {
		if !z.active(id) {
			return refuse(kerr.InvalidReplicaAssignment, "Replica assignment has brokers that are not alive: %d", id)
		}
	}
	return nil
}

// cancel gives the list before the move back, without a look at whether its
// brokers are alive (KAFKA-14424).
func (z zookeeper) cancel(p *partition) *refusal {
	if !p.inFlight() {
		return refuse(kerr.NoReassignmentInProgress, "")
	}
	next := z.ballot(p)
	next.Replicas, next.ISR = without(p.Replicas, p.Adding...), without(p.ISR, p.Adding...)
	next.Adding, next.Removing = nil, nil
	if !slices.Contains(next.Replicas, next.Leader) {
		next.Leader = z.firstLive(p, next.Replicas, next.ISR)
	}
	z.write(p, next)
	return nil
}
