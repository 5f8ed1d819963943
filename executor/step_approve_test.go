package executor

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"drain/runbooks"
)

func withApproval() []runbooks.Step {
	return slices.Insert(runbooks.DefaultSteps(), 4, runbooks.Step{Kind: runbooks.Approve, Approve: "Is the night shift told?"})
}

func (r *rig) awaits(want bool) {
	r.Helper()
	if got, err := Awaits(r.files()); err != nil || got != want {
		r.Errorf("awaits an approval: %t, %v; want %t", got, err, want)
	}
}

func TestAnApprovalFromAnotherShellIsWaitedFor(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Steps = withApproval()
		r.send(Request{Kind: AskApprove}) // before it was asked for: no answer
		r.awaits(false)
		time.AfterFunc(time.Hour, func() {
			if r.runner.stops() > 0 {
				r.Error("the stop was issued without approval")
			}
			r.awaits(true)
			r.send(Request{Kind: AskApprove})
		})
		began := time.Now()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.awaits(false)
		if time.Since(began) < time.Hour || !r.said(EventWait, "Is the night shift told?") || !r.said(EventDone, "approved by somebody (drain approve)") {
			r.Errorf("after %v, said %q", time.Since(began), r.texts(EventDone))
		}
	})
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Steps = withApproval()
		r.yes, r.asked.yes = false, []bool{true, false}
		_, err := r.run()
		r.wants(err, ErrInterrupted)
		if !errors.Is(err, ErrDeclined) || r.runner.stops() > 0 {
			r.Errorf("%v, %d stops", err, r.runner.stops())
		}
	})
}

// A process that died in the step waits no more, and the next not yet.
func TestTheQuestionOfAnEarlierProcessIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Steps = withApproval()
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(time.Hour, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		asked := false
		r.onEvent = func(ev Event) {
			if asked = asked || ev.Step == string(runbooks.Approve); !asked && ev.Kind != EventResume {
				r.awaits(false)
			}
		}
		time.AfterFunc(time.Hour, func() {
			r.awaits(true)
			r.send(Request{Kind: AskApprove})
		})
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
	})
}
