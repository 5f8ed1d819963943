package executor

import (
	"fmt"
	"os"
	"slices"

	"drain/plan"
	"drain/reassign"
)

// drains are the records of each run of the runbook that has ended and left
// something to be put back, replicas that it moved or a cordon, the newest first.
// Those that a restore has put back since are left out. A restore that does not
// say whose (it is of an older drain) put back all that there was.
func (r *run) drains() ([][]Record, error) {
	all, err := r.closedRuns()
	if err != nil {
		return nil, err
	}
	var drains [][]Record
	restored := map[string]bool{}
	for _, records := range all {
		switch head := records[0].Header; {
		case head.Verb == restoring && head.Restores == "":
			return drains, nil
		case head.Verb == restoring && records[len(records)-1].Well:
			restored[head.Restores] = true
		case head.Verb == restoring || restored[head.Run]:
		default:
			h := fold(records)
			if cordons, _ := h.cordons(); len(h.moved) > 0 || len(cordons) > 0 {
				drains = append(drains, records)
			}
		}
	}
	return drains, nil
}

// closedRuns are the journals of the runs that have ended, the newest first.
func (r *run) closedRuns() ([][]Record, error) {
	dated, err := r.files.closed()
	if err != nil {
		return nil, err
	}
	var all [][]Record
	if newest := r.journal.Closed(); len(newest) > 0 {
		all = append(all, newest)
	}
	for _, path := range dated {
		records, err := readDated(path)
		if err != nil {
			return nil, err
		}
		// Whoever died while a run was put aside left it under both names.
		if len(records) > 0 && (len(all) == 0 || records[0].Header.Run != all[len(all)-1][0].Header.Run) {
			all = append(all, records)
		}
	}
	return all, nil
}

func readDated(path string) ([]Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, _, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w; move it away if it is not needed", ErrJournal, path, err)
	}
	return records, nil
}

// inherited are the cordons of an earlier run that still stand, and that this
// journal does not know of: a broker that was drained, stopped and started again
// without a restore. Whoever finds nothing to cordon takes them over, or nobody
// would ever lift them.
func (r *run) inherited(c *plan.Cluster) ([]reassign.Debt, error) {
	drains, err := r.drains()
	if err != nil || len(drains) == 0 {
		return nil, err
	}
	known, _ := r.history().cordons()
	cordons, _ := fold(drains[0]).cordons()
	return slices.DeleteFunc(cordons, func(d reassign.Debt) bool {
		b, _ := c.Broker(brokerOf(d))
		return !b.Live() || !b.Cordoned || slices.ContainsFunc(known, func(k reassign.Debt) bool { return k.Resource == d.Resource })
	}), nil
}
