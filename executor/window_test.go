package executor

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/simkafka"
	"drain/reassign"
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

// A lost request ended the run as its window closed: moves went on into the day, and
// their throttle stayed.
func TestMovesAreTakenBackAlthoughRequestsAreLost(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), runbooks.Cancel
		r.rb.Throttle.BytesPerSec, r.rb.AcceptRisks = 1_000_000, []string{"window-too-short"}
		time.AfterFunc(61*time.Minute-time.Second, func() {
			heal := r.sim.Inject(simkafka.Fault{Keys: []kmsg.Key{kmsg.AlterPartitionAssignments}, DropBefore: true, Times: -1})
			time.AfterFunc(5*time.Second, heal)
		})
		time.AfterFunc(2*time.Hour, func() {
			if n := inFlight(r.sim.State()); n > 0 {
				r.Errorf("%d moves in flight after the window", n)
			}
			r.send(Request{Kind: AskThrottle, BytesPerSec: 100_000_000})
		})
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
	})
}

// A cordon that could not be lifted left the moves in flight, and their throttle.
func TestMovesAreTakenBackThoughTheCordonStays(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), runbooks.Cancel
		r.rb.Throttle.BytesPerSec, r.rb.AcceptRisks = 1_000_000, []string{"window-too-short"}
		time.AfterFunc(61*time.Minute-time.Second, func() {
			r.sim.Inject(simkafka.Fault{Keys: []kmsg.Key{kmsg.IncrementalAlterConfigs}, Resource: "1", When: setsCordon, Code: kerr.ClusterAuthorizationFailed.Code, Times: -1})
		})
		done, err := r.run()
		if err == nil || !strings.Contains(err.Error(), "uncordon broker 1") {
			r.Errorf("got %v, want the cordon named", err)
		}
		if n := inFlight(r.sim.State()); n > 0 || len(done.Owed) != 1 {
			r.Errorf("%d moves in flight, owed %v, want the cordon alone", n, done.Owed)
		}
	})
}

// setsCordon says that a request changes a cordon.
func setsCordon(req kmsg.Request) bool {
	return slices.ContainsFunc(req.(*kmsg.IncrementalAlterConfigsRequest).Resources, func(res kmsg.IncrementalAlterConfigsRequestResource) bool {
		return slices.ContainsFunc(res.Configs, func(c kmsg.IncrementalAlterConfigsRequestResourceConfig) bool { return c.Name == reassign.CordonedDirs })
	})
}

// A window too short for any move ended the run, where the next one may be
// wider, or the throttle be raised by then.
func TestAfterAWindowInWhichNothingFitsTheNextIsWaitedFor(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), runbooks.Cancel
		r.rb.Throttle.BytesPerSec = 1_000_000
		r.rb.AcceptRisks = []string{"window-too-short"}
		raised := func() { r.send(Request{Kind: AskThrottle, BytesPerSec: 100_000_000, Who: "night shift"}) }
		time.AfterFunc(2*time.Hour, raised)
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if !r.said(EventWarn, "none of 6 moves was completed in it; the next opens at 2000-01-02T01:00:00Z") {
			r.Errorf("warnings: %q", r.texts(EventWarn))
		}
		if n := countRecords(r, KindWindow); n != 1 {
			r.Errorf("%d ends of windows in the journal, want 1", n)
		}
		r.drained(before, 1)
	})
}

// A run whose every move was longer than a window copied the same bytes night
// after night, for ever.
func TestARunOfWhichNoMoveFitsIntoAWindowIsRefused(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), runbooks.Cancel
		r.rb.Throttle.BytesPerSec = 1_000_000
		_, err := r.run()
		r.wants(err, ErrRefused, "window-too-short: no move fits into a window", "write windowEnd: finish")
		r.untouched(before)
	})
}

func TestARunEndsAfterTwoWindowsInWhichNothingWasCompleted(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), runbooks.Cancel
		r.rb.Throttle.BytesPerSec, r.rb.AcceptRisks = 1_000_000, []string{"window-too-short"}
		for _, windows := range []int{2, 4} { // whoever runs it again has the same patience
			done, err := r.run()
			r.wants(err, ErrBlocked, "2 windows in a row have closed, and none of 6 moves was completed in them")
			if !done.Changed || len(done.Owed) > 0 || r.runner.stops() > 0 || countRecords(r, KindWindow) != windows {
				r.Errorf("done %+v, %d windows, want %d", done, countRecords(r, KindWindow), windows)
			}
			r.untouched(before)
		}
		r.rb.Throttle.BytesPerSec = 100_000_000
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
	})
}

func TestTheDeadlineEndsARunThatFitsIntoNoWindow(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), runbooks.Cancel
		r.rb.Throttle.BytesPerSec, r.rb.Deadline = 1_000_000, 30*time.Hour
		r.rb.AcceptRisks = []string{"window-too-short"}
		time.AfterFunc(2*time.Hour, func() { r.send(Request{Kind: AskThrottle, BytesPerSec: 2_000_000}) }) // too little
		done, err := r.run()
		r.wants(err, ErrDeadline, "30h")
		if r.runner.stops() > 0 || inFlight(r.sim.State()) > 0 || len(done.Owed) > 0 || countRecords(r, KindWindow) != 2 {
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
		r.rb.Throttle.BytesPerSec, r.rb.AcceptRisks = 1_000_000, []string{"window-too-short"}
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
