package executor

import (
	"context"
	"testing"
	"time"
)

// A broker that was drained, stopped, and started again without a restore is
// still cordoned. The second run found nothing to cordon and put the journal
// with the debt aside: no verb could lift the cordon any more.
func TestASecondRunTakesTheCordonOfTheFirstOver(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		for range 2 {
			if _, err := r.run(); err != nil {
				r.Fatal(err)
			}
			r.sim.StartBroker(1)
			r.pause(time.Minute)
		}
		done, err := r.restore(r.Context())
		if err != nil || len(done.Owed)+len(done.Cordoned) > 0 {
			r.Fatalf("%v, done %+v", err, done)
		}
		for i, b := range r.sim.State().Brokers {
			if len(b.Configs) != len(before.Brokers[i].Configs) {
				r.Errorf("broker %d has %v, and had %v", b.ID, b.Configs, before.Brokers[i].Configs)
			}
		}
	})
}

// A run that is refused in between moves nothing; what the one before it moved
// can be put back all the same.
func TestARestorePassesOverRunsThatMovedNothing(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.sim.StartBroker(1)
		r.pause(time.Minute)
		command := r.rb.Stop.Command
		r.rb.Stop.Command = []string{"stop-everything"}
		_, err := r.run()
		r.wants(err, ErrRefused, "unbound-stop")
		r.rb.Stop.Command = command
		if _, err := r.restore(r.Context()); err != nil {
			r.Fatal(err)
		}
		r.untouched(before)
	})
}

// A list that holds a cordoned broker is refused (4.4), and so was the order
// before the drain as long as the cordon stood.
func TestTakingMovesBackLiftsTheCordonBeforeTheOrderIsPutRight(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(*rig) error{
		"cancel": func(r *rig) error {
			client := r.dial()
			defer client.Close()
			_, _, err := Cancel(r.Context(), r.config(client))
			return err
		},
		"cleanup --cancel": func(r *rig) error {
			_, err := r.cleanup(true)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, slow(), plainRunbook, func(r *rig) {
				before := r.sim.State()
				ctx, cancel := context.WithCancel(r.Context())
				time.AfterFunc(10*time.Second, cancel)
				_, err := r.runWith(ctx)
				r.wants(err, ErrInterrupted)
				if err := back(r); err != nil {
					r.Fatal(err)
				}
				if left := r.left(before); len(left) > 0 {
					r.Errorf("left behind: %v", left)
				}
			})
		})
	}
}
