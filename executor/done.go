package executor

import (
	"slices"

	"drain/reassign"
	"drain/runbooks"
)

// Done is what a run has done, by its journal. It decides the exit code before
// the error does.
type Done struct {
	Run       string // id of the run; empty if none was begun
	Journal   string // path of the file
	Changed   bool   // something on the cluster may have been changed
	StopBegun bool   // a stop was begun, and it is not proven that all is well after it
	Stopped   []int32
	Owed      []reassign.Debt // settings still to be given back, without cordons that are kept
	Cordoned  []int32         // stopped brokers that stay cordoned until a restore
}

func (r *run) done() Done {
	d := r.history().done(r.cfg.Runbook)
	d.Journal = r.journal.Path()
	return d
}

func (h *history) done(rb runbooks.Runbook) Done {
	d := Done{Run: h.header.Run, Changed: h.changed, Stopped: h.stopped()}
	cordons, others := h.cordons()
	for _, debt := range cordons {
		if b := brokerOf(debt); slices.Contains(d.Stopped, b) {
			d.Cordoned = append(d.Cordoned, b)
		} else {
			others = append(others, debt)
		}
	}
	d.Owed = others
	d.StopBegun = h.stopOpen(slotsOf(rb)) || len(d.Stopped) > 0 && len(d.Owed) > 0
	return d
}

// stopped are the brokers whose stop has ended well, in the order of the stops.
func (h *history) stopped() []int32 {
	var stops []*progress
	for _, p := range h.slots {
		if p.kind == runbooks.Stop && p.ended > 0 {
			stops = append(stops, p)
		}
	}
	slices.SortFunc(stops, func(a, b *progress) int { return a.ended - b.ended })
	ids := make([]int32, len(stops))
	for i, p := range stops {
		ids[i] = p.broker
	}
	return ids
}

// stopOpen says that a stop was begun that is not proven to have gone well,
// whether it failed or is in the balance.
func (h *history) stopOpen(slots []Slot) bool {
	for i, s := range slots {
		if s.Kind == runbooks.Stop && h.at(s).acted > 0 && (h.at(s).ended == 0 || h.unproven(s, slots[i+1:])) {
			return true
		}
	}
	return false
}
