package executor

import (
	"context"
	"errors"
	"testing"
	"time"

	"drain/internal/simkafka"
)

// led is a cluster that cannot cordon, where broker 1 leads every partition of a
// topic: leadership is handed on, by another order, before most moves can start.
func led() simkafka.Spec {
	s := incident()
	s.Release = "4.1"
	pay := simkafka.Topic{Name: "pay"}
	for i := range int32(12) {
		pay.Partitions = append(pay.Partitions, simkafka.Partition{Number: i, Replicas: []int32{1, 2, 3}, Bytes: 100 << 20})
	}
	s.Topics = []simkafka.Topic{pay}
	return s
}

// A run that went on after an interrupt planned from the lists as it found them,
// with leadership handed on already. That order was then taken for the one
// before the drain, and a cancel and a restore gave it back.
func TestTheOrderBeforeTheDrainOutlivesAnInterrupt(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(*rig) error{
		"cancel": func(r *rig) error {
			r.interruptedAfter(4 * time.Second)
			client := r.dial()
			defer client.Close()
			_, _, err := Cancel(r.Context(), r.config(client))
			return err
		},
		"restore": func(r *rig) error {
			if _, err := r.run(); err != nil {
				return err
			}
			r.sim.StartBroker(1)
			r.pause(time.Minute)
			_, err := r.restore(r.Context())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, led(), plainRunbook, func(r *rig) {
				before := r.sim.State()
				r.interruptedAfter(8 * time.Second)
				if err := back(r); err != nil {
					r.Fatal(err)
				}
				r.untouched(before)
			})
		})
	}
}

// interruptedAfter runs until a person has enough of it.
func (r *rig) interruptedAfter(d time.Duration) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), d)
	defer cancel()
	if _, err := r.runWith(ctx); !errors.Is(err, ErrInterrupted) {
		r.Fatalf("got %v, want an interrupt", err)
	}
}

// A broker's copy of the metadata may be behind. What it still showed right after
// the cancels was neither list, so that no order was set, and nothing was said.
func TestACancelWaitsForLateMetadata(t *testing.T) {
	t.Parallel()
	s := led()
	s.Timing.Lag = 2 * time.Second
	simulate(t, s, plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.interruptedAfter(30 * time.Second)
		client := r.dial()
		defer client.Close()
		if _, _, err := Cancel(r.Context(), r.config(client)); err != nil {
			r.Fatal(err)
		}
		r.untouched(before)
	})
}

// The destination of some moves dies while the drained broker is cordoned, as it is
// by default: they go elsewhere, and a cancel still knows the order before.
func TestMovesGoElsewhereUnderACordon(t *testing.T) {
	t.Parallel()
	s := led()
	s.Release = ""
	for i := range s.Topics[0].Partitions {
		s.Topics[0].Partitions[i].Bytes *= 10 // none arrives
	}
	s.Brokers = append(s.Brokers, simkafka.Broker{ID: 7, Rack: "a", Host: "kafka-7", Port: 9092})
	simulate(t, s, plainRunbook, func(r *rig) {
		before := r.sim.State()
		time.AfterFunc(10*time.Second, func() { r.sim.Crash(4) })
		r.interruptedAfter(55 * time.Second)
		if !r.said(EventMove, "replanned, since their destination failed") {
			r.Errorf("said %q", r.texts(EventMove))
		}
		r.plansAddUp() // the plan of those that go elsewhere counted all that is left to move
		r.sim.StartBroker(4)
		r.pause(time.Minute)
		client := r.dial()
		defer client.Close()
		if _, _, err := Cancel(r.Context(), r.config(client)); err != nil {
			r.Fatal(err)
		}
		r.untouched(before)
	})
}

// Who leads afterwards is planned by how many each broker leads. The plan after an
// interrupt took those to whom leadership had been handed on for leaders for good.
func TestLeadersAreEvenAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	simulate(t, led(), plainRunbook, func(r *rig) {
		r.interruptedAfter(8 * time.Second)
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		leads := map[int32]int{}
		for _, p := range r.sim.State().Topics[0].Partitions {
			leads[p.Replicas[0]]++
			if *p.Leader != p.Replicas[0] {
				r.Errorf("pay-%d is led by %d, and %d is preferred", p.Number, *p.Leader, p.Replicas[0])
			}
		}
		if leads[2] != 4 || leads[3] != 4 || leads[4] != 4 {
			r.Errorf("12 partitions are led so: %v, want 4 each", leads)
		}
	})
}
