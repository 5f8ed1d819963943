package election

import "slices"

// Leave is what a KRaft controller makes of p when broker x is fenced or enters
// controlled shutdown. Partitions
// without x in the ISR are left as they are, so that the second half of a
// controlled shutdown, the fencing, changes nothing more.
//
// The controller's minimum for the ELR is the configured one, but no more than
// the replicas of the topic's partition 0 (getTopicEffectiveMinIsr).
//
// Source: ReplicationControlManager.handleBrokerFenced,
// handleBrokerInControlledShutdown, generateLeaderAndIsrUpdates.
func (r Rules) Leave(p Partition, live func(int32) bool, x int32) Partition {
	next, _ := r.leave(p, candidates{live: live, offline: p.Offline, gone: []int32{x}, back: NoLeader}, x)
	return next
}

// leave is Leave with x and those before it in c.gone; it also says whether
// the step elected a leader out of sync.
func (r Rules) leave(p Partition, c candidates, x int32) (Partition, bool) {
	if !slices.Contains(p.ISR, x) {
		return p, false
	}
	return r.rebuild(p, c, without(p.ISR, x), NoLeader)
}

// Unfence is what a KRaft controller makes of p when broker x, so far fenced,
// is back: leaderless partitions are tried again, all others stay.
//
// Source: ReplicationControlManager.handleBrokerUnfenced.
func (r Rules) Unfence(p Partition, live func(int32) bool, x int32) Partition {
	if p.Leader != NoLeader {
		return p
	}
	next, _ := r.rebuild(p, candidates{live: live, offline: p.Offline, back: x}, p.ISR, NoLeader)
	return next
}

// Restart is what a KRaft controller of 4.0 and later makes of p when a new
// process of broker x registers after an unclean stop. With ELR on, x leaves
// ISR and ELR, since its log may have lost its end; otherwise it is a fencing.
// Before 4.0 a registration changes no partition.
//
// Source: ReplicationControlManager.handleBrokerShutdown.
func (r Rules) Restart(p Partition, live func(int32) bool, x int32) Partition {
	if r.Release.Before(4, 0) {
		return p
	}
	if !r.ELR {
		return r.Leave(p, live, x)
	}
	if !slices.Contains(p.ISR, x) && !slices.Contains(p.ELR, x) {
		return p
	}
	return r.dropped(p, live, x, x)
}

// Unregister is what a KRaft controller makes of p when broker x is
// unregistered: Leave, and where x is in the ELR another look. It stays there.
//
// Source: ReplicationControlManager.handleBrokerUnregistered.
func (r Rules) Unregister(p Partition, live func(int32) bool, x int32) Partition {
	if !slices.Contains(p.ISR, x) && !slices.Contains(p.ELR, x) {
		return p
	}
	return r.dropped(p, live, x, NoLeader)
}

// FailDir is what a KRaft controller makes of p when the log dir fails that
// holds the copy of broker x, which lives on: as Leave, but p is looked at even
// where x is not in the ISR. The result does not have x in Offline yet.
//
// Source: ReplicationControlManager.handleDirectoriesOffline.
func (r Rules) FailDir(p Partition, live func(int32) bool, x int32) Partition {
	if !slices.Contains(p.Replicas, x) || slices.Contains(p.Offline, x) {
		return p
	}
	return r.dropped(p, live, x, NoLeader)
}

// dropped is p without x in its ISR, and x no candidate; lost as for rebuild.
func (r Rules) dropped(p Partition, live func(int32) bool, x, lost int32) Partition {
	c := candidates{live: live, offline: p.Offline, gone: []int32{x}, back: NoLeader}
	next, _ := r.rebuild(p, c, without(p.ISR, x), lost)
	return next
}

// rebuild makes the partition anew around the given in-sync replicas; lost is
// a broker whose copy may have lost its end, or NoLeader. It also says whether
// a leader was elected uncleanly.
//
// Source: PartitionChangeBuilder.build.
func (r Rules) rebuild(p Partition, c candidates, isr []int32, lost int32) (Partition, bool) {
	next := p
	next.ISR = isr
	r.complete(&next)
	next.ELR = r.eligible(p, next.ISR, lost)
	leader, unclean := r.elect(next, c)
	next.Leader = leader
	if leader != p.Leader {
		if slices.Contains(next.ELR, leader) {
			next.ISR, next.ELR = []int32{leader}, without(next.ELR, leader)
		}
		if unclean {
			next.ISR, next.ELR, next.Recovering = []int32{leader}, nil, true
		}
	}
	if r.ELR {
		next.LastKnown = r.lastKnown(p, next)
	} else if len(next.ISR) == 0 {
		next.ISR = p.ISR // the last member is kept
	}
	return next, unclean && leader != p.Leader
}

// eligible is the ELR beside the given ISR: whoever was in either before, as
// long as the ISR is under the controller's minimum.
//
// Source: PartitionChangeBuilder.maybePopulateTargetElr.
func (r Rules) eligible(p Partition, isr []int32, lost int32) []int32 {
	if !r.ELR || len(isr) >= p.controllerMinISR() {
		return nil
	}
	var elr []int32
	for _, was := range [][]int32{p.ELR, p.ISR} {
		for _, id := range was {
			if id != lost && !slices.Contains(isr, id) && !slices.Contains(elr, id) {
				elr = append(elr, id)
			}
		}
	}
	slices.Sort(elr)
	return elr
}

func (p Partition) controllerMinISR() int {
	replicas := p.FirstReplicas
	if replicas == 0 {
		replicas = len(p.Replicas)
	}
	return min(max(p.MinISR, 1), replicas)
}

// elect chooses the leader of p, whose ISR and ELR are the new ones and whose
// leader and last known leader are the old ones: the present leader, the first
// valid replica, the last known leader, anybody if unclean elections are on.
//
// Source: PartitionChangeBuilder.electAnyLeader.
func (r Rules) elect(p Partition, c candidates) (leader int32, unclean bool) {
	valid := p.ISR
	if len(valid) == 0 {
		valid = p.ELR
	}
	if slices.Contains(valid, p.Leader) && c.may(p.Leader) {
		return p.Leader, false
	}
	for _, id := range p.Replicas {
		if slices.Contains(valid, id) && c.may(id) {
			return id, false
		}
	}
	if len(valid) == 0 && r.knowsLast(p, c) {
		return p.LastKnown[0], true
	}
	if !c.anybody && !r.uncleanOn(p) {
		return NoLeader, false
	}
	leader = firstOf(p.Replicas, c)
	return leader, leader != NoLeader
}

// knowsLast is whether the last known leader may be elected although nothing
// says that it is in sync. Before 4.1 it may be a dead broker (KAFKA-19522).
//
// Source: PartitionChangeBuilder.canElectLastKnownLeader.
func (r Rules) knowsLast(p Partition, c candidates) bool {
	return r.ELR && len(p.LastKnown) == 1 && (r.Release.Before(4, 1) || c.may(p.LastKnown[0]))
}

// firstOf is the first replica that may lead, in or out of sync, or NoLeader.
func firstOf(replicas []int32, c candidates) int32 {
	for _, id := range replicas {
		if c.may(id) {
			return id
		}
	}
	return NoLeader
}

// lastKnown is the last known leader to store with ELR on: the leader that was
// lost first, forgotten once there is one again. 4.0 stores it only when the
// ISR runs empty.
//
// Source: PartitionChangeBuilder.maybeUpdateLastKnownLeader.
func (r Rules) lastKnown(was, next Partition) []int32 {
	// The change record names the leader if it changes, or to bump its epoch
	// because replicas were dropped (by a reassignment that completed).
	named := next.Leader != was.Leader || !containsAll(next.Replicas, was.Replicas)
	lost, leads := named && next.Leader == NoLeader, named && next.Leader != NoLeader
	if r.Release.Before(4, 1) {
		ranEmpty := len(next.ISR) == 0 && len(was.ISR) > 0
		if ranEmpty && !slices.Equal(was.LastKnown, []int32{was.Leader}) {
			return []int32{was.Leader}
		}
		if leads || was.Leader != NoLeader && !lost {
			return nil
		}
		return was.LastKnown
	}
	switch {
	case lost && len(was.LastKnown) == 0:
		return []int32{was.Leader}
	case leads:
		return nil
	}
	return was.LastKnown
}
