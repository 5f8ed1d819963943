package executor

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"
)

// An interrupt leaves a stop command running. Where its process could not be
// written down, that was not told: whoever goes on must wait for its whole time.
func TestACommandThatRunsOnUnrecordedIsTold(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.disk = func(name string, flag int, perm os.FileMode) (file, error) {
			f, err := openFile(name, flag, perm)
			return &refusing{f, `"kind":"child"`}, err
		}
		ctx, cancel := context.WithCancelCause(r.Context())
		r.runner.takes = time.Minute
		r.runner.stop = func(int32) { cancel(ErrInterrupted) }
		done, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted, "the stop command runs on")
		r.wants(err, syscall.ENOSPC)
		if !done.StopBegun || r.runner.stops() != 1 {
			r.Errorf("%d stops, done %+v", r.runner.stops(), done)
		}
	})
}
