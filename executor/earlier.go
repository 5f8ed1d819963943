package executor

import (
	"fmt"
	"iter"
	"slices"

	"drain/plan"
	"drain/reassign"
)

// drains are the records of each run of the runbook that has ended and left
// something to be put back, replicas that it moved or a cordon, the newest first.
// Those that a restore has put back since are left out. A restore that does not
// say whose (it is of an older drain) put back all that there was. A journal is
// read when its turn comes, so that one of long ago hinders nobody; in place of
// one that cannot be read stands the error.
func (r *run) drains() iter.Seq2[[]Record, error] {
	return func(yield func([]Record, error) bool) {
		restored := map[string]bool{}
		for records, err := range r.closedRuns() {
			if err == nil {
				switch head := records[0].Header; {
				case head.Verb == restoring && head.Restores == "":
					return
				case head.Verb == restoring:
					restored[head.Restores] = restored[head.Restores] || records[len(records)-1].Well
					continue
				case restored[head.Run] || !leavesSomething(records):
					continue
				}
			}
			if !yield(records, err) {
				return
			}
		}
	}
}

// leavesSomething says that there is something to be put back of a run.
func leavesSomething(records []Record) bool {
	h := fold(records)
	cordons, _ := h.cordons()
	return len(h.moved) > 0 || len(cordons) > 0
}

// closedRuns are the journals of the runs that have ended, the newest first, or
// the errors of reading them.
func (r *run) closedRuns() iter.Seq2[[]Record, error] {
	return func(yield func([]Record, error) bool) {
		last := ""
		if newest := r.journal.Closed(); len(newest) > 0 {
			last = newest[0].Header.Run
			if !yield(newest, nil) {
				return
			}
		}
		dated, err := r.files.closed()
		if err != nil {
			yield(nil, err)
		}
		for _, path := range dated {
			records, err := readJournal(path)
			switch {
			case err != nil:
				err = fmt.Errorf("%w; move it away if it is not needed", err)
			case len(records) == 0 || records[0].Header.Run == last: // left under both names by who died while it was put aside
				continue
			default:
				last = records[0].Header.Run
			}
			if !yield(records, err) {
				return
			}
		}
	}
}

// inherited are the cordons of an earlier run that still stand, and that this
// journal does not know of: a broker that was drained, stopped and started again
// without a restore. Whoever finds nothing to cordon takes them over, or nobody
// would ever lift them.
func (r *run) inherited(c *plan.Cluster) []reassign.Debt {
	known, _ := r.history().cordons()
	for records, err := range r.drains() {
		if err != nil {
			r.say(EventWarn, "what that run left cordoned is not known: %v", err)
			continue
		}
		cordons, _ := fold(records).cordons()
		return slices.DeleteFunc(cordons, func(d reassign.Debt) bool {
			b, _ := c.Broker(d.Resource.Broker())
			return !b.Live() || !b.Cordoned || slices.ContainsFunc(known, func(k reassign.Debt) bool { return k.Resource == d.Resource })
		})
	}
	return nil
}
