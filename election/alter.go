package election

// Alter is what a KRaft controller makes of p when its in-sync replicas become
// isr: the leader says so, or a reassignment has changed the lists of p, which
// are the new ones already. It ends the reassignment if the rule of the release
// is met, and elects if the leader of p may lead no more.
//
// Source: ReplicationControlManager.alterPartition,
// changePartitionReassignment, cancelPartitionReassignment.
func (r Rules) Alter(p Partition, live func(int32) bool, isr []int32) Partition {
	next, _ := r.rebuild(p, candidates{live: live, offline: p.Offline, back: NoLeader}, isr, NoLeader)
	return next
}
