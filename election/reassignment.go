package election

// complete ends a reassignment in flight if the ISR of p, the new one, allows
// it: KRaft controllers look at every change of the ISR, a shrinking included.
// The removing replicas then leave the ISR and the list.
//
//   - to 3.7: all adding replicas are in sync;
//   - 3.8 to 4.2: all target replicas are (KAFKA-15665);
//   - from 4.3: all adding ones; if more are removed than added, all target
//     replicas (KAFKA-19975).
//
// Source: PartitionReassignmentReplicas.maybeCompleteReassignment.
func (r Rules) complete(p *Partition) {
	if len(p.Adding) == 0 && len(p.Removing) == 0 {
		return
	}
	isr, target := without(p.ISR, p.Removing...), without(p.Replicas, p.Removing...)
	if len(isr) == 0 || len(target) == 0 || !containsAll(isr, r.mustBeInSync(p, target)) {
		return
	}
	p.ISR, p.Replicas, p.Adding, p.Removing = isr, target, nil, nil
}

func (r Rules) mustBeInSync(p *Partition, target []int32) []int32 {
	switch {
	case r.Release.Before(3, 8):
		return p.Adding
	case r.Release.Before(4, 3), len(p.Adding) < len(p.Removing):
		return target
	}
	return p.Adding
}
