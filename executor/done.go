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
	Watching  bool   // of a stop nothing is open but its watch, which has found nothing amiss: it can be taken up again
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
	kept, owed := h.debts()
	for _, debt := range kept {
		d.Cordoned = append(d.Cordoned, debt.Resource.Broker())
	}
	d.Owed = owed
	unpaid := len(d.Stopped) > 0 && len(d.Owed) > 0
	open, failed := h.stopOpen(slotsOf(rb))
	d.StopBegun, d.Watching = open || unpaid, open && !failed && !unpaid
	return d
}

// debts are the cordons of brokers that were stopped, or have left after a stop
// that failed, which are kept until a restore, and all else that is still owed.
func (h *history) debts() (kept, owed []reassign.Debt) {
	cordons, owed := h.cordons()
	away := append(h.stopped(), h.stopsLost()...)
	for _, d := range cordons {
		if slices.Contains(away, d.Resource.Broker()) {
			kept = append(kept, d)
		} else {
			owed = append(owed, d)
		}
	}
	return kept, owed
}

// stopOpen says that a stop was begun that is not proven to have gone well, and
// whether one of these has failed, in itself or in its watch, or is in the
// balance.
func (h *history) stopOpen(slots []Slot) (open, failed bool) {
	for i, s := range slots {
		p := h.at(s)
		if s.Kind != runbooks.Stop || p.acted == 0 || p.ended > 0 && !h.unproven(s, slots[i+1:]) {
			continue
		}
		open, failed = true, failed || p.ended == 0 || h.watchFailed(s.Broker)
	}
	return open, failed
}

// watchFailed says that the watch after a stop found something, last time.
func (h *history) watchFailed(broker int32) bool {
	for _, p := range h.slots {
		if p.kind == runbooks.Confirm && p.broker == broker && p.failed > max(p.begun, p.ended) {
			return true
		}
	}
	return false
}
