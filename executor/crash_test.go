package executor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/runbooks"
)

// withCommand is the default order with a command of the runbook's own, which
// may be repeated.
func withCommand() []runbooks.Step {
	note := &runbooks.RunStep{Name: "note", Command: []string{"note", "{broker}"}, Timeout: time.Minute, Repeat: true}
	return slices.Insert(runbooks.DefaultSteps(), 2, runbooks.Step{Kind: runbooks.Run, Run: note})
}

// TestACrashAfterAnyRecordEndsLikeNone kills the process after each record of
// the journal in turn, and runs again: the end is the same, and the stop was
// issued once, counted outside of drain.
func TestACrashAfterAnyRecordEndsLikeNone(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		crashed := false
		t.Run(fmt.Sprintf("record %d", n), func(t *testing.T) {
			simulate(t, incident(), plainRunbook, func(r *rig) {
				before := r.sim.State()
				r.rb.Steps = withCommand()
				r.dieAfter(n)
				if _, err := r.run(); errors.Is(err, errDied) {
					crashed = true
				} else if err != nil {
					r.Fatal(err)
				}
				if !crashed {
					return
				}
				last := r.records()[n-1]
				r.disk = nil
				done, err := r.run()
				if err != nil {
					r.Fatalf("after %q of %q: %v\n%s", last.Kind, last.Name, err, strings.Join(r.texts(EventWarn), "\n"))
				}
				if wrong := r.left(before, 1); len(wrong) > 0 {
					r.Errorf("after %q of %q:\n%s", last.Kind, last.Name, strings.Join(wrong, "\n"))
				}
				if r.runner.stops() != 1 || r.sim.Running(1) {
					r.Errorf("after %q of %q: %d stops, broker runs: %v", last.Kind, last.Name, r.runner.stops(), r.sim.Running(1))
				}
				if last.Kind != KindClosed && (done.StopBegun || !slices.Equal(done.Stopped, []int32{1}) || len(done.Owed) > 0) {
					r.Errorf("after %q of %q: done %+v", last.Kind, last.Name, done)
				}
			})
		})
		if t.Failed() || !crashed {
			return
		}
	}
}
