package executor

import (
	"context"
	"testing"
	"time"

	"drain/reassign"
)

// An operator sets a rate where the run holds a debt, and the run is interrupted
// later. Whoever gives back what it owes goes by the journal, which named the
// value before the run: theirs was lost.
func TestACleanupGivesAnOperatorsNewerRateBack(t *testing.T) {
	t.Parallel()
	for _, cancel := range []bool{false, true} {
		simulate(t, slow(), plainRunbook, func(r *rig) {
			const key, theirs = reassign.LeaderRate, "077000000"
			time.AfterFunc(15*time.Second, func() {
				if err := r.sim.SetBrokerConfig(1, key, new(theirs)); err != nil {
					r.Error(err)
				}
			})
			ctx, interrupt := context.WithCancel(r.Context())
			time.AfterFunc(20*time.Second, interrupt)
			_, err := r.runWith(ctx)
			r.wants(err, ErrInterrupted)
			if got := r.sim.State().Brokers[0].Configs[key]; got == theirs || got == "" {
				r.Fatalf("during the run the rate is %q, want ours", got)
			}
			if _, err := r.cleanup(cancel); err != nil {
				r.Fatal(err)
			}
			if got := r.sim.State().Brokers[0].Configs[key]; got != theirs {
				r.Errorf("cancel %v: got %q, want %s", cancel, got, theirs)
			}
		})
	}
}
