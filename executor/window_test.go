package executor

import (
	"context"
	"testing"
	"time"

	"drain/runbooks"
)

func TestMovesStartInTheirWindowOnly(t *testing.T) {
	t.Parallel()
	for _, end := range []runbooks.WindowEnd{runbooks.Finish, runbooks.Cancel} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			// Both logs do not fit into a minute, and each of them does.
			s := incident()
			s.Topics[0].Partitions[0].Bytes, s.Topics[0].Partitions[3].Bytes = 250_000_000, 120_000_000
			simulate(t, s, plainRunbook, func(r *rig) {
				before := r.sim.State()
				r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), end
				r.rb.Throttle.BytesPerSec = 6_000_000
				r.rb.AcceptRisks = []string{"throttle-too-long"}
				var early, late int
				time.AfterFunc(59*time.Minute, func() { early = sentOf(r, 45) })
				time.AfterFunc(2*time.Hour, func() {
					late = inFlight(r.sim.State())
				})
				if _, err := r.run(); err != nil {
					r.Fatal(err)
				}
				if early > 0 || late > 0 {
					r.Errorf("%d reassignments before the window, %d moves in flight after it", early, late)
				}
				// What had started in the first window is finished after it: there is
				// nothing left to wait a day for.
				if !r.said(EventWait, "opens at 2000-01-01T01:00:00Z") || r.said(EventWait, "opens at 2000-01-02T01:00:00Z") != (end == runbooks.Cancel) {
					r.Errorf("waits: %q", r.texts(EventWait))
				}
				r.drained(before, 1)
			})
		})
	}
}

// fromOneToOneMinutePastOne is a window of a minute; the bubble of a test begins
// at midnight.
func fromOneToOneMinutePastOne() *runbooks.Window {
	return &runbooks.Window{Hours: runbooks.Hours{From: 60, To: 61}, Zone: time.UTC}
}

// A window too short for any move ended the run, where the next one may be
// wider, or the throttle be raised by then.
func TestAfterAWindowInWhichNothingFitsTheNextIsWaitedFor(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), runbooks.Cancel
		r.rb.Throttle.BytesPerSec = 1_000_000
		raised := func() { r.send(Request{Kind: AskThrottle, BytesPerSec: 100_000_000, Who: "night shift"}) }
		time.AfterFunc(26*time.Hour, raised) // after two windows
		var left []int
		for _, day := range []int{0, 1} {
			time.AfterFunc(time.Duration(day*24+2)*time.Hour, func() { left = append(left, inFlight(r.sim.State())) })
		}
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if len(left) != 2 || left[0]+left[1] > 0 {
			r.Errorf("in flight after the windows: %v", left)
		}
		const told = "none of 6 moves was completed in it; the next opens at 2000-01-0"
		if !r.said(EventWarn, told+"2") || !r.said(EventWarn, told+"3") {
			r.Errorf("warnings: %q", r.texts(EventWarn))
		}
		if n := countRecords(r, KindWindow); n != 2 {
			r.Errorf("%d ends of windows in the journal, want 2", n)
		}
		r.drained(before, 1)
	})
}

func TestTheDeadlineEndsARunThatFitsIntoNoWindow(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), runbooks.Cancel
		r.rb.Throttle.BytesPerSec, r.rb.Deadline = 1_000_000, 60*time.Hour
		done, err := r.run()
		r.wants(err, ErrDeadline, "60h")
		if r.runner.stops() > 0 || inFlight(r.sim.State()) > 0 || len(done.Owed) > 0 || countRecords(r, KindWindow) != 3 {
			r.Errorf("done %+v, %d windows", done, countRecords(r, KindWindow))
		}
	})
}

func TestWhatDidNotStartInAWindowWaitsForTheNext(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), runbooks.Finish
		r.rb.Throttle.BytesPerSec = 4_000_000
		began := time.Now()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if took := time.Since(began); took < 25*time.Hour || took > 26*time.Hour || !r.said(EventChange, "of 6 moves made, the rest waits for the next, which opens at 2000-01-02T01:00:00Z") {
			r.Errorf("took %v; told %q", took, r.texts(EventChange))
		}
		r.drained(before, 1)
	})
}

// Moves that a process left in flight, which was interrupted in a window, went
// on without end when the run was resumed after it.
func TestMovesLeftInFlightAfterTheWindowAreTakenBack(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), runbooks.Cancel
		r.rb.Throttle.BytesPerSec = 1_000_000
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(time.Hour+30*time.Second, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		flying := inFlight(r.sim.State())
		r.pause(time.Minute)
		ctx, cancel = context.WithCancel(r.Context())
		time.AfterFunc(time.Hour, cancel)
		_, err = r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		if now := inFlight(r.sim.State()); flying == 0 || now > 0 {
			r.Errorf("%d moves in flight in the window, %d after it", flying, now)
		}
	})
}

func countRecords(r *rig, kind Kind) int {
	n := 0
	for _, rec := range r.records() {
		if rec.Kind == kind {
			n++
		}
	}
	return n
}
