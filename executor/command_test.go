package executor

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"drain/executor/child"
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

// An interrupt between the end of the stop command and the broker's leaving told
// nobody that the command had gone well.
func TestAnInterruptBehindTheStopCommandSaysHowThatEnded(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{0: "had exited with code 0, and broker 1 has not been seen to leave yet", 1: "had exited with code 1,"} {
		simulate(t, incident(), plainRunbook, func(r *rig) {
			ctx, cancel := context.WithCancelCause(r.Context())
			r.runner.exit = child.Exit{Code: code}
			r.runner.stop = func(b int32) {
				time.AfterFunc(2*time.Second, func() { cancel(ErrInterrupted) })
				time.AfterFunc(15*time.Second, func() { r.sim.Shutdown(b) })
			}
			done, err := r.runWith(ctx)
			r.wants(err, ErrInterrupted, want, "run again to go on")
			if !done.StopBegun || done.Watching {
				r.Errorf("done %+v, want a stop in the balance", done)
			}
			if _, err := r.run(); err != nil || r.runner.stops() != 1 {
				r.Errorf("again: %v, %d stops, want the first one only", err, r.runner.stops())
			}
		})
	}
}
