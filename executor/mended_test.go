package executor

import (
	"slices"
	"testing"
	"time"

	"drain/executor/child"
)

// Whoever mends a stop command that went wrong has another runbook than the one
// of the open journal: what is told then leads to the end of the drain, and to
// the way back.
func TestAStopCommandThatIsMendedNeedsACleanup(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.runner.stop = func(int32) {}
		r.runner.exit = child.Exit{Code: 127}
		_, err := r.run()
		r.wants(err, ErrStop, "exited with code 127")
		r.rb.Stop.Command = []string{"stop-it", "{broker}", "--now"}
		r.runner.exit, r.runner.stop = child.Exit{}, r.sim.Shutdown
		_, err = r.run()
		r.wants(err, ErrJournal, "was changed", "drain cleanup")
		if _, err := r.cleanup(false); err != nil {
			r.Fatal(err)
		}
		if done, err := r.run(); err != nil || !slices.Equal(done.Stopped, []int32{1}) {
			r.Fatalf("mended: %v, done %+v", err, done)
		}
		r.drained(before, 1)
		r.sim.StartBroker(1)
		r.pause(time.Minute)
		if _, err := r.restore(r.Context()); err != nil || !r.said(EventWarn, "not yet the 6 moves") {
			r.Errorf("the run that stopped it: %v, warned %q", err, r.texts(EventWarn))
		}
		if _, err := r.restore(r.Context()); err != nil {
			r.Errorf("the run that moved: %v", err)
		}
		r.untouched(before)
	})
}

// A stop that worked and exited with another code asks for that code to be
// listed: to do so was refused as another runbook.
func TestAnExitCodeThatIsListedAfterwardsIsFine(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.runner.exit = child.Exit{Code: 3}
		_, err := r.run()
		r.wants(err, ErrStop, "broker 1 has left", "list the code in stop.acceptExitCodes, and run again")
		r.rb.Stop.AcceptExitCodes = []int{0, 3}
		done, err := r.run()
		if err != nil || !slices.Equal(done.Stopped, []int32{1}) || r.runner.stops() != 1 {
			r.Fatalf("%v, done %+v, %d stops", err, done, r.runner.stops())
		}
		if !r.said(EventResume, "acceptExitCodes is now [0 3]") {
			r.Errorf("told %q", r.texts(EventResume))
		}
		r.drained(before, 1)
	})
}

// A stop that went wrong behind the broker's back left a journal that no other
// stop command could go on with, nor a cleanup bring to an end: the broker is gone,
// and its cordon cannot be lifted before it is back.
func TestAnotherStopCommandIsFineOnceTheBrokerIsGone(t *testing.T) {
	t.Parallel()
	for _, way := range []struct {
		name   string
		before func(*rig)
	}{
		{"at once", func(*rig) {}},
		{"after a cleanup", func(r *rig) {
			if done, err := r.cleanup(false); err != nil || len(done.Owed) > 0 || !slices.Equal(done.Cordoned, []int32{1}) {
				r.Errorf("cleanup: %v, done %+v", err, done)
			}
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			simulate(t, incident(), plainRunbook, func(r *rig) {
				before := r.sim.State()
				r.runner.exit = child.Exit{Code: 255}
				done, err := r.run()
				r.wants(err, ErrStop, "broker 1 has left", "exited with code 255")
				if len(done.Owed) > 0 || !slices.Equal(done.Cordoned, []int32{1}) {
					r.Errorf("done %+v", done)
				}
				way.before(r)
				r.rb.Stop.Command = []string{"stop-it", "{broker}", "--quiet"}
				r.rb.Stop.Timeout = 2 * time.Minute
				if done, err = r.run(); err != nil || !slices.Equal(done.Stopped, []int32{1}) || r.runner.stops() != 1 {
					r.Fatalf("%v, done %+v, %d stops", err, done, r.runner.stops())
				}
				if !r.said(EventResume, `stopCommand is now ["stop-it" "{broker}" "--quiet"]`) {
					r.Errorf("told %q", r.texts(EventResume))
				}
				r.rb.Stop.Command = []string{"stop-it", "{broker}", "--loud"}
				r.sim.StartBroker(1)
				r.pause(time.Minute)
				if _, err := r.restore(r.Context()); err != nil {
					r.Error(err)
				}
				r.untouched(before)
			})
		})
	}
}

// What is told about a stop in the balance must not be what is refused then.
func TestAnotherStopCommandWaitsForAStopInTheBalance(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.dieAt(KindChild)
		_, err := r.run()
		r.wants(err, errDied)
		r.disk = nil
		as := r.rb.Stop.Command
		r.rb.Stop.Command = []string{"stop-it", "{broker}", "--quiet"}
		_, err = r.run()
		r.wants(err, ErrJournal, "its stop was begun and not seen to its end", `with stop.command ["stop-it" "{broker}"]`)
		r.rb.Stop.Command = as
		if _, err := r.run(); err != nil || r.runner.stops() != 1 {
			r.Errorf("as it was: %v, %d stops", err, r.runner.stops())
		}
		r.drained(before, 1)
	})
}

// A broker that came back after its failed stop is stopped by what the journal
// holds, or after a cleanup, which lifts its cordon.
func TestABrokerThatIsBackAfterAFailedStopIsTidiedUp(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.exit = child.Exit{Code: 255}
		_, err := r.run()
		r.wants(err, ErrStop)
		r.sim.StartBroker(1)
		r.pause(time.Minute)
		r.rb.Stop.Command = []string{"stop-it", "{broker}", "--quiet"}
		_, err = r.run()
		r.wants(err, ErrJournal, "drain cleanup")
		if done, err := r.cleanup(false); err != nil || len(done.Owed)+len(done.Cordoned) > 0 {
			r.Errorf("cleanup: %v, done %+v", err, done)
		}
		r.runner.exit = child.Exit{}
		if _, err := r.run(); err != nil || r.runner.stops() != 2 {
			r.Errorf("%v, %d stops", err, r.runner.stops())
		}
	})
}
