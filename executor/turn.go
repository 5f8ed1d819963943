package executor

import (
	"context"

	"drain/runbooks"
)

// takeTurn waits until no other run on this host stops a broker of the cluster
// or watches it afterwards. Two at once would each take the other's broker for
// one that left by itself.
func (r *run) takeTurn(ctx context.Context) error {
	if r.turn != nil {
		return nil
	}
	lock, err := r.locks.turn()
	if err != nil {
		return err
	}
	for said := false; ; said = true {
		held, err := lock.TryLock()
		if err != nil {
			return noLock(lock.Path(), err)
		}
		if held {
			r.turn = lock
			return nil
		}
		if !said {
			r.say(EventWait, "another run on this host is stopping a broker of this cluster: waiting for its end")
		}
		if err := pause(ctx, r.cfg.Runbook.Poll); err != nil {
			return err
		}
	}
}

// yieldTurn lets others stop theirs.
func (r *run) yieldTurn() {
	if r.turn != nil {
		r.warn(r.turn.Close())
		r.turn = nil
	}
}

// inTurn takes a step, within the turn of this run from a stop to the end of
// its watch.
func (r *run) inTurn(ctx context.Context, a Action) error {
	if a.Kind == runbooks.Stop || a.Kind == runbooks.Confirm {
		if err := r.within(ctx, r.takeTurn); err != nil {
			return err
		}
	}
	err := r.take(ctx, a)
	if a.Kind == runbooks.Confirm {
		r.yieldTurn()
	}
	return err
}
