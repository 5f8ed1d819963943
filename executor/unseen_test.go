package executor

import (
	"context"
	"testing"
	"time"
)

// interrupted begins a run, ends it while moves are in flight, and gives Kafka
// the time to complete them.
func (r *rig) interrupted() {
	r.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	time.AfterFunc(20*time.Second, cancel)
	_, err := r.runWith(ctx)
	r.wants(err, ErrInterrupted)
	if !r.said(EventLast, "Kafka goes on moving") {
		r.Fatalf("last words %q", r.texts(EventLast))
	}
	r.pause(10 * time.Minute)
}

// What Kafka had completed between two processes was in no plan of the second:
// it was never written down as moved, and no restore put it back.
func TestWhatNobodySawArriveIsPutBackToo(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.interrupted()
		unseen := len(fold(r.records()).own())
		st, err := r.status()
		if err != nil || unseen == 0 || st.MovesDone < unseen || len(st.InFlight) > 0 {
			r.Errorf("%d in flight at the interrupt, and afterwards: %d moved, %v in flight, %v", unseen, st.MovesDone, st.InFlight, err)
		}
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if h := fold(r.records()); len(h.moved) != len(h.moves) {
			r.Errorf("%d of %d moves are written down", len(h.moved), len(h.moves))
		}
		r.sim.StartBroker(1)
		r.pause(time.Minute)
		if _, err := r.restore(r.Context()); err != nil {
			r.Fatal(err)
		}
		r.untouched(before)
		if st, err := r.status(); err != nil || len(st.Differences) > 0 {
			r.Errorf("after the restore the cluster is not as the journal says: %q, %v", st.Differences, err)
		}
	})
}

// The same where the run is given up instead: what has arrived stays, and can be
// put back.
func TestWhatNobodySawArriveOutlivesACancel(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.interrupted()
		client := r.dial()
		_, _, err := Cancel(r.Context(), r.config(client))
		client.Close()
		if err != nil {
			r.Fatal(err)
		}
		if _, err := r.restore(r.Context()); err != nil {
			r.Fatal(err)
		}
		r.untouched(before)
	})
}
