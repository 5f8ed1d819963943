package executor

import (
	"context"
	"testing"
	"time"
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
