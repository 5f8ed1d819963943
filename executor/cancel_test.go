package executor

import (
	"context"
	"testing"
	"time"

	"drain/plan"
	"drain/reassign"
)

func TestACancelReachesALiveRun(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		time.AfterFunc(20*time.Second, func() {
			cfg := r.config(nil) // a live run is asked, not the cluster
			cfg.Who = "somebody"
			if done, asked, err := Cancel(r.Context(), cfg); err != nil || !asked || done.Changed || len(done.Owed) == 0 {
				r.Errorf("asked %t, done %+v, %v; want the throttles owed as yet", asked, done, err)
			}
		})
		done, err := r.run()
		r.wants(err, ErrCancelled, "somebody")
		if !r.said(EventChange, "a live run was asked to cancel its moves") {
			r.Errorf("said %q", r.texts(EventChange)) // with --output json nothing told it
		}
		if !done.Changed || r.runner.stops() > 0 || len(done.Owed) > 0 {
			r.Errorf("done %+v", done)
		}
		for i, p := range r.sim.State().Topics[0].Partitions {
			was := before.Topics[0].Partitions[i]
			if len(p.Adding) > 0 || len(p.Replicas) != len(was.Replicas) {
				r.Errorf("log-%d is still on the way: %v adding %v", i, p.Replicas, p.Adding)
			}
		}
		r.drained(before) // no setting is left
		if !ended(r.records()) {
			r.Error("the journal is open")
		}
	})
}

// A cancel that came while the stop command ran closed the journal, and the next
// run issued the stop a second time beside the first.
func TestACancelDuringTheStopDoesNotHideItFromTheNextRun(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.takes = 20 * time.Second
		r.runner.stop = func(b int32) {
			time.AfterFunc(5*time.Second, func() { r.send(Request{Kind: AskCancel}) })
			time.AfterFunc(15*time.Second, func() { r.sim.Shutdown(b) })
		}
		done, err := r.run()
		r.wants(err, ErrCancelled, "the stop of broker 1 was begun and not seen to its end; `drain run /runbooks/broker-1.yaml` sees to it")
		if !done.StopBegun || ended(r.records()) || !r.said(EventLast, "resume with `drain run") {
			r.Errorf("done %+v, journal ended %t, last %q", done, ended(r.records()), r.texts(EventLast))
		}
		if done, err = r.run(); err != nil || done.StopBegun || r.runner.stops() != 1 {
			r.Errorf("again: %v, done %+v, %d stops", err, done, r.runner.stops())
		}
	})
}

// It was told that every setting is given back, and the broker stays cordoned.
func TestACancelInTheWatchTellsOfTheCordonThatStays(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.stop = func(b int32) {
			r.sim.Shutdown(b)
			time.AfterFunc(15*time.Second, func() { r.send(Request{Kind: AskCancel}) })
		}
		done, err := r.run()
		r.wants(err, ErrCancelled)
		if !done.Watching || !ended(r.records()) || !r.said(EventLast, "given back; new replicas are kept off until `drain restore") {
			r.Errorf("done %+v, ended %t, last %q", done, ended(r.records()), r.texts(EventLast))
		}
	})
}

// Whoever pressed Ctrl-C and cancelled the run from another shell, before that had
// given its settings back, was told that it would take its moves back. It did not.
func TestACancelReachesARunThatGivesBack(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		ctx, interrupt := context.WithCancelCause(r.Context())
		r.onEvent = func(ev Event) {
			if context.Cause(ctx) != nil && ev.Kind == EventMove && ev.Move.Kind == reassign.Kept {
				r.onEvent = nil
				r.send(Request{Kind: AskCancel})
			}
		}
		time.AfterFunc(10*time.Second, func() { interrupt(ErrInterrupted) })
		done, err := r.runWith(ctx)
		r.wants(err, ErrCancelled, "somebody")
		if len(done.Owed) > 0 || !ended(r.records()) || !r.said(EventLast, "cancelled: what was in flight is back where it was") {
			r.Errorf("done %+v, last words %q", done, r.texts(EventLast))
		}
		r.untouched(before)
	})
}

// From the lock on a run looks alive. What was asked before it had looked at the
// cluster was dropped.
func TestACancelReachesARunThatHasOnlyJustBegun(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		client := r.dial()
		defer client.Close()
		cfg := r.config(client)
		cfg.Observer = cancelling{cfg.Observer, r}
		_, err := Run(r.Context(), cfg)
		r.wants(err, ErrCancelled, "somebody")
		if !ended(r.records()) {
			r.Error("the journal is open")
		}
		r.untouched(before)
	})
}

// cancelling is an observer before whose pictures the run is cancelled.
type cancelling struct {
	Observer
	rig *rig
}

func (c cancelling) Snapshot(ctx context.Context, s plan.Scope) (plan.Cluster, error) {
	c.rig.send(Request{Kind: AskCancel})
	return c.Observer.Snapshot(ctx, s)
}
