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
	for n, crashed := 1, true; crashed && !t.Failed(); n += stride(1) {
		t.Run(fmt.Sprintf("record %d", n), func(t *testing.T) {
			simulate(t, incident(), plainRunbook, func(r *rig) {
				before := r.sim.State()
				r.rb.Steps = withCommand()
				r.dieAfter(n)
				_, err := r.run()
				if crashed = errors.Is(err, errDied); !crashed {
					if err != nil {
						r.Error(err)
					}
					return
				}
				var last Record // none if it died before the journal was in its place
				if records := r.records(); len(records) > 0 {
					last = records[len(records)-1]
				}
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
	}
}

// TestACrashAtAnyRequestEndsLikeNone kills the process while each request that
// changes something is under way, in turn: just before the cluster acts on it,
// and just after, so that the answer is never heard.
func TestACrashAtAnyRequestEndsLikeNone(t *testing.T) {
	t.Parallel()
	for _, carriedOut := range []bool{false, true} {
		for n, crashed := 1, true; crashed && !t.Failed(); n += stride(1) {
			t.Run(fmt.Sprintf("request %d, carried out %v", n, carriedOut), func(t *testing.T) {
				simulate(t, incident(), plainRunbook, func(r *rig) {
					before := r.sim.State()
					var done Done
					if done, crashed = r.goesOn(n, carriedOut); !crashed {
						return
					}
					r.drained(before, 1)
					if r.runner.stops() != 1 || done.StopBegun || len(done.Owed) > 0 {
						r.Errorf("%d stops, done %+v", r.runner.stops(), done)
					}
				})
			})
		}
	}
}

// goesOn lets one process die at its n-th request that changes something, just
// before or just after that is carried out, and another end the run. It says
// whether the first one got so far; if not, there is no other.
func (r *rig) goesOn(n int, carriedOut bool) (done Done, crashed bool) {
	r.Helper()
	died := r.dieAtRequest(n, carriedOut)
	_, err := r.run()
	if !died() {
		return Done{}, false
	}
	r.disk = nil
	done, again := r.run()
	if again != nil {
		r.Fatalf("died with %v, then: %v", err, again)
	}
	return done, true
}
