package reassign

import "slices"

// byKind splits tracks into those of internal topics and the others, which no
// request of orders, moves or elections mixes.
func byKind(tracks []*track) (internal, bulk []*track) {
	for _, t := range tracks {
		if t.internal {
			internal = append(internal, t)
		} else {
			bulk = append(bulk, t)
		}
	}
	return internal, bulk
}

// leaders is how many partitions may still change their leader in this turn.
type leaders struct{ internal, bulk int }

// take counts one, and says whether there was room for it.
func (l *leaders) take(t *track) bool {
	n := &l.bulk
	if t.internal {
		n = &l.internal
	}
	if *n == 0 {
		return false
	}
	*n--
	return true
}

// leaders is a batch of each kind: none while a partition of the batch before
// has lost a member of its ISR, and none of internal topics while a coordinator
// whose leader changed last does not answer.
func (r *run) leaders() leaders {
	if slices.ContainsFunc(r.tracks, r.hurt) {
		return leaders{}
	}
	l := leaders{internal: batchInternal, bulk: batchElections}
	if len(r.view.loading) > 0 {
		l.internal = 0
	}
	return l
}

// hurt says that the partition was asked to change its leader and a live
// member of its ISR is missing since.
func (r *run) hurt(t *track) bool {
	return t.asked && t.stage < arrived && !subset(intersect(t.atStart, r.view.live), t.state.ISR)
}
