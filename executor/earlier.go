package executor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"drain/plan"
	"drain/reassign"
)

// lastDrain are the records of the newest run of the runbook that has ended and
// left something to be put back: replicas that it moved, or a cordon. Runs after
// it that were refused, or found nothing to do, are passed over. A restore ends
// the search: it put everything back. None is nil.
func (r *run) lastDrain() ([]Record, error) {
	sources := [][]Record{r.journal.Closed()}
	dated, err := filepath.Glob(r.files.path(".*.jsonl"))
	if err != nil {
		return nil, err
	}
	slices.Sort(dated) // the time of the run is in the name
	slices.Reverse(dated)
	for _, path := range dated {
		records, err := readDated(path)
		if err != nil {
			return nil, err
		}
		sources = append(sources, records)
	}
	for _, records := range sources {
		if len(records) == 0 {
			continue
		}
		if records[0].Header.Verb == restoring {
			return nil, nil
		}
		h := fold(records)
		if cordons, _ := h.cordons(); len(h.moved) > 0 || len(cordons) > 0 {
			return records, nil
		}
	}
	return nil, nil
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
	records, err := r.lastDrain()
	if err != nil || records == nil {
		return nil, err
	}
	known, _ := r.history().cordons()
	cordons, _ := fold(records).cordons()
	return slices.DeleteFunc(cordons, func(d reassign.Debt) bool {
		b, _ := c.Broker(brokerOf(d))
		return !b.Live() || !b.Cordoned || slices.ContainsFunc(known, func(k reassign.Debt) bool { return k.Resource == d.Resource })
	}), nil
}
