package executor

import (
	"context"
	"testing"
	"time"
)

// The moves of another runbook's run that was interrupted were somebody else's,
// to be waited for.
func TestAForeignMoveOfAnotherRunbookIsNamed(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(20*time.Second, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		client := r.dial()
		defer client.Close()
		other := r.config(client)
		other.Path, other.Runbook.Brokers = "/runbooks/broker-2.yaml", []int32{2}
		_, err = Run(r.Context(), other)
		r.wants(err, ErrRefused, "is being moved by somebody else", "it is a move of the run of /runbooks/broker-1.yaml", "`drain cancel /runbooks/broker-1.yaml`")
	})
}
