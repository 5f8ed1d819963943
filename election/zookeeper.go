package election

import "slices"

// Vanish is what a ZooKeeper controller makes of p when the brokers in x
// vanish within one event: an election if the leader is not online, then each
// of x leaves the ISR, but for its last member. The order of x decides which
// member that is. Kafka takes them in no order that can be foretold.
//
// Source: KafkaController.onReplicasBecomeOffline,
// ReplicaStateMachine.doRemoveReplicasFromIsr.
func (r Rules) Vanish(p Partition, live func(int32) bool, x []int32) Partition {
	next, _ := r.vanish(p, candidates{live: live, offline: p.Offline, gone: x, back: NoLeader}, x)
	return next
}

// vanish is Vanish with x and all that left before, or are shutting down, in
// c.gone; it also says whether a leader was elected uncleanly.
func (r Rules) vanish(p Partition, c candidates, x []int32) (Partition, bool) {
	unclean := false
	if !c.may(p.Leader) {
		p, unclean = r.online(p, c)
	}
	for _, id := range x {
		if slices.Contains(p.Replicas, id) {
			p = offlineReplica(p, id)
		}
	}
	return p, unclean
}

// Online is what a ZooKeeper controller makes of p, in state OfflinePartition,
// when a broker comes back: it tries the offline election again, with no change
// if that finds nobody. A partition is in that state once an election failed; one
// that a controlled shutdown could not move is not.
//
// Source: PartitionStateMachine.triggerOnlinePartitionStateChange,
// Election.leaderForOffline.
func (r Rules) Online(p Partition, live func(int32) bool) Partition {
	c := candidates{live: live, offline: p.Offline, back: NoLeader}
	if c.may(p.Leader) {
		return p
	}
	next, _ := r.online(p, c)
	return next
}

func (r Rules) online(p Partition, c candidates) (Partition, bool) {
	for _, id := range p.Replicas {
		if slices.Contains(p.ISR, id) && c.may(id) {
			p.Leader = id
			p.ISR = slices.DeleteFunc(slices.Clone(p.ISR), func(id int32) bool { return !c.may(id) })
			return p, false
		}
	}
	// The flag, or an operator's wish, counts only when nobody in the ISR is
	// online; a member that is no replica counts there, though it cannot lead.
	if !c.anybody && !r.uncleanOn(p) || slices.ContainsFunc(p.ISR, c.may) {
		return p, false
	}
	leader := firstOf(p.Replicas, c)
	if leader == NoLeader {
		return p, false
	}
	p.Leader, p.ISR = leader, []int32{leader}
	p.Recovering = p.Recovering || r.Release.AtLeast(3, 2)
	return p, true
}

// offlineReplica takes one replica to OfflineReplica: it leaves the ISR unless
// it is alone there, and leads no more.
func offlineReplica(p Partition, id int32) Partition {
	if !slices.Contains(p.ISR, id) {
		return p
	}
	if p.Leader == id {
		p.Leader = NoLeader
	}
	if len(p.ISR) > 1 {
		p.ISR = without(p.ISR, id)
	}
	return p
}

// Retire is what a ZooKeeper controller makes of p when broker x asks for a
// controlled shutdown while those in stopping, x included, are shutting down.
// A partition with one replica, or with x alone in sync, stays led by x until
// its process is gone.
//
// Source: KafkaController.doControlledShutdown,
// Election.leaderForControlledShutdown.
func (r Rules) Retire(p Partition, live func(int32) bool, stopping []int32, x int32) Partition {
	return r.retire(p, candidates{live: live, offline: p.Offline, gone: stopping, back: NoLeader}, stopping, x)
}

func (r Rules) retire(p Partition, c candidates, stopping []int32, x int32) Partition {
	if len(p.Replicas) < 2 || !slices.Contains(p.Replicas, x) {
		return p
	}
	if p.Leader != x {
		return offlineReplica(p, x)
	}
	for _, id := range p.Replicas {
		if slices.Contains(p.ISR, id) && c.may(id) {
			p.Leader, p.ISR = id, without(p.ISR, stopping...)
			break
		}
	}
	return p
}
