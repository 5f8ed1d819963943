package executor

import (
	"slices"

	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

// Driving makes movers that are each a [reassign.Driver] and talk to a cluster
// through these ports.
func Driving(ports reassign.Ports) func(MoverInput) Mover {
	return func(in MoverInput) Mover {
		return reassign.New(ports, in.Ledger, in.Debts, in.Options, in.Report)
	}
}

// newMover makes a mover that knows what earlier ones owe and have in flight.
func (r *run) newMover() Mover {
	h := r.history()
	_, owed := h.cordons()
	o := r.cfg.moveOptions()
	o.BytesPerSec, o.Own, o.Start, o.Replan = r.throttle(h), h.own(), h.start(), r.elsewhere
	return r.mover(ledger{r.append}, owed, o)
}

// mover makes one that tells what it does.
func (r *run) mover(l ledger, owed []reassign.Debt, o reassign.Options) Mover {
	return r.cfg.NewMover(MoverInput{
		Ledger: l, Debts: owed, Options: o,
		Report: func(ev reassign.Event) { r.event(Event{Kind: kindOf(ev.Kind), Move: &ev, Text: ev.Text}) },
	})
}

// moveOptions are what the runbook and the cluster say of every move.
func (c Config) moveOptions() reassign.Options {
	rb := c.Runbook
	return reassign.Options{
		Adaptive:    rb.Throttle.Adaptive,
		MaxInFlight: rb.MaxInFlight, MaxInFlightPerBroker: rb.MaxInFlightPerBroker,
		Poll: rb.Poll, StallAfter: rb.StallAfter, WaitForForeign: rb.WaitForForeign,
		DiskHeadroom:          rb.DiskHeadroom,
		AcceptForeignThrottle: accepts(rb, "foreign-throttle"),
		ForgetHiddenThrottle:  accepts(rb, hiddenRate),
		ZooKeeper:             c.Mode == plan.ZooKeeper,
	}
}

func accepts(rb runbooks.Runbook, risk string) bool { return slices.Contains(rb.AcceptRisks, risk) }
