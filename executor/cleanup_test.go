package executor

import (
	"context"
	"slices"
	"testing"
	"time"

	"drain/reassign"
)

// Settings of a destination that has died were owed, and nobody was told what for:
// they can be given back once it is there again.
func TestWhatIsOwedOnABrokerThatIsDownNamesTheRemedy(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook+"destinations: [4, 5]\n", func(r *rig) {
		before := r.sim.State()
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(10*time.Second, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		r.sim.Crash(5)
		r.pause(time.Minute)
		end := func() error {
			client := r.dial()
			defer client.Close()
			_, _, err := Cancel(r.Context(), r.config(client))
			return err
		}
		r.wants(end(), ErrDebt, "broker 5 is not live", "start broker 5, and run `drain cancel /runbooks/broker-1.yaml` again")
		r.sim.StartBroker(5)
		r.pause(time.Minute)
		if err := end(); err != nil {
			r.Fatal(err)
		}
		r.drained(before)
	})
}

// A cleanup that waited for its moves held the lock of the journal, so that a
// throttle and a cancel were said to have reached a live run, and nobody heard them.
func TestACleanupThatWaitsIsReached(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.interruptedAfter(8 * time.Second)
		time.AfterFunc(5*time.Second, func() { r.send(Request{Kind: AskThrottle, BytesPerSec: 5_000_000}) })
		var rates []string
		time.AfterFunc(9*time.Second, func() {
			for _, b := range r.sim.State().Brokers {
				if v, ok := b.Configs[reassign.FollowerRate]; ok {
					rates = append(rates, v)
				}
			}
			r.send(Request{Kind: AskCancel})
		})
		done, err := r.cleanup(false)
		r.wants(err, ErrCancelled, "somebody")
		if len(rates) == 0 || slices.ContainsFunc(rates, func(v string) bool { return v != "5000000" }) {
			r.Errorf("4 s after it was asked for, the rates are %v", rates)
		}
		if len(done.Owed) > 0 || !ended(r.records()) {
			r.Errorf("done %+v, and the journal is open: %t", done, !ended(r.records()))
		}
		r.untouched(before)
	})
}

// Moves to a destination that is down do not end, so that a cleanup which waits for
// them does not either: it names the way out.
func TestACleanupWhoseMovesStallNamesTheRemedy(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.interruptedAfter(8 * time.Second)
		r.sim.Crash(5)
		_, err := r.cleanup(false)
		r.wants(err, ErrDebt, "its destination, broker 5, is down", "or take them back with `drain cleanup --cancel /runbooks/broker-1.yaml`")
		_, err = r.cleanup(true)
		r.wants(err, ErrDebt, "start broker 5, and run `drain cleanup /runbooks/broker-1.yaml` again")
		r.sim.StartBroker(5)
		r.pause(time.Minute)
		if _, err := r.cleanup(false); err != nil {
			r.Fatal(err)
		}
		r.drained(before)
	})
}
