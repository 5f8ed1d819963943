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
