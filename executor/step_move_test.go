package executor

import (
	"context"
	"errors"
	"testing"
	"time"

	"drain/plan"
	"drain/reassign"
)

// givingUp is a mover that ends with an error before it has done anything.
type givingUp struct {
	Mover
	err error
}

func (g givingUp) Move(context.Context, plan.Plan) error { return g.err }
func (givingUp) Throttle(int64)                          {}

// Without a change before it such an end was unexpected (1), which is the code of
// a fault of drain.
func TestMovesThatCannotGoOnAreABlockBeforeAnyChange(t *testing.T) {
	t.Parallel()
	of := []plan.TopicPartition{{Topic: "log", Partition: 3}}
	broken := errors.New("broken")
	for _, tc := range []struct {
		name  string
		err   error
		block bool
	}{
		{"nothing could start", &reassign.StallError{After: time.Minute, Cause: "no room"}, true},
		{"somebody else moves them", &reassign.ForeignError{Partitions: of}, true},
		{"a deletion does not end", &reassign.DeletionError{Partitions: of, Waits: "broker 9, which is down"}, true},
		{"a deletion beside a failure", errors.Join(broken, &reassign.DeletionError{Partitions: of}), true},
		{"anything else", broken, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			simulate(t, incident(), plainRunbook+"cordon: off\n", func(r *rig) {
				client := r.dial()
				defer client.Close()
				cfg := r.config(client)
				cfg.NewMover = func(MoverInput) Mover { return givingUp{err: tc.err} }
				done, err := Run(r.Context(), cfg)
				if !errors.Is(err, tc.err) || errors.Is(err, ErrBlocked) != tc.block || done.Changed {
					r.Errorf("ended with %v (a block: %t, want %t), done %+v", err, errors.Is(err, ErrBlocked), tc.block, done)
				}
			})
		})
	}
}
