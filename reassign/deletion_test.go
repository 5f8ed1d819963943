package reassign

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/plan"
)

// A topic is deleted while one of its partitions moves and others wait: those
// that wait are refused, which once was a failure of the whole run. They are
// gone when the move that the deletion waits for has ended.
func TestATopicQueuedForDeletionHoldsNobodyUp(t *testing.T) {
	play(t, 4, func(s *scene) {
		for i, size := range []float64{40e6, 30e6, 10e6, 10e6, 10e6, 10e6} {
			s.moves("t", int32(i), size, 3, 4, 3, 1)
		}
		s.moves("u", 0, 10e6, 3, 4, 3, 1)
		s.at(3*time.Second, func() { s.queueDeletion("t") })
		if err := s.driver(Options{BytesPerSec: 1e6, MaxInFlightPerBroker: 2}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		if said := s.said(Queued); len(said) == 0 || !strings.Contains(said[0], "t-2") || !strings.Contains(said[0], "that waits for the reassignment of t-") {
			s.Errorf("got %q, want t-2 named, and what its deletion waits for", said)
		}
		if said := s.said(Refused); len(said) > 0 {
			s.Errorf("refusals were told: %q", said)
		}
		s.plan.Moves = slices.DeleteFunc(s.plan.Moves, func(m plan.Move) bool { return m.Topic == "t" })
		s.done()
	})
}

// The deletion waits for a reassignment of somebody else that does not end. All
// else is moved, and then the run ends and says what it waits for.
func TestADeletionThatDoesNotEndIsNamed(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.moves("t", 0, 1e6, 3, 4, 3, 1)
		other := s.part("t", 7, 1e6, 1, 2)
		other.never = []int32{5}
		s.moves("u", 0, 20e6, 3, 4, 3, 1)
		s.want(s.alter(Target{tp("t", 7), []int32{5, 2}}), (*PartitionError)(nil))
		s.queueDeletion("t")
		s.kill(5)
		began := time.Now()
		err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan)
		deletion, ok := errors.AsType[*DeletionError](err)
		if !ok || !slices.Equal(deletion.Partitions, []plan.TopicPartition{tp("t", 0)}) {
			s.Fatalf("got %v, want t-0 named", err)
		}
		want := "t-0 is queued for deletion, which waits for the reassignment of t-7: end that, or take the deletion back, and run again"
		s.want(deletion.Error(), want)
		if took := time.Since(began); took < 80*time.Second || took > 90*time.Second {
			s.Errorf("took %v, want a minute more than the moves", took)
		}
		s.want(s.parts[tp("u", 0)].replicas, []int32{4, 1})
		s.want(len(s.said(Queued)), 1)
		s.clean()
	})
}

// A deletion is taken back: the partition moves after all.
func TestADeletionThatIsTakenBack(t *testing.T) {
	play(t, 5, func(s *scene) {
		p := s.moves("t", 0, 1e6, 3, 4, 3, 1)
		other := s.part("t", 7, 1e6, 1, 2)
		other.never = []int32{5}
		s.moves("u", 0, 120e6, 3, 4, 3, 1)
		s.want(s.alter(Target{tp("t", 7), []int32{5, 2}}), (*PartitionError)(nil))
		s.queueDeletion("t")
		s.at(50*time.Second, func() { s.deleting = "" })
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.want(p.replicas, []int32{4, 1})
	})
}

// The destination of a move dies, and its topic is queued for deletion: the move
// cannot be cancelled. It is a stall that names the broker, and a cancel says
// that the move ends with its topic.
func TestAMoveOfATopicThatIsQueuedCannotBeCancelled(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.moves("t", 0, 20e6, 3, 4, 3, 1)
		s.at(3*time.Second, func() {
			s.queueDeletion("t")
			s.kill(4)
		})
		replan := func(context.Context, []plan.Move) (plan.Plan, error) {
			return plan.Plan{}, errors.New("it was planned anew")
		}
		d := s.driver(Options{BytesPerSec: 1e6, StallAfter: 2 * time.Minute, Replan: replan})
		err := d.Move(s.Context(), s.plan)
		if stall, ok := errors.AsType[*StallError](err); !ok || len(stall.Stuck) != 1 || !strings.Contains(stall.Stuck[0].Why, "broker 4, is down") {
			s.Fatalf("got %v, want a stall that names broker 4", err)
		}
		if err := d.Cancel(s.Context()); !strings.Contains(err.Error(), "t-0 is queued for deletion, which waits for broker 4, which is down, and the reassignment of t-0") {
			s.Errorf("cancelled: got %v", err)
		}
	})
}
