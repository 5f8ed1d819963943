package executor

import (
	"strings"
	"testing"

	"drain/runbooks"
)

func TestABrokerIsDrainedAndStopped(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		done, err := r.run()
		for _, ev := range r.events {
			if ev.Kind != EventProgress {
				r.Logf("%s %s %s %d %s %v", ev.Time.Format("15:04:05.0"), ev.Kind, ev.Step, ev.Broker, ev.Text, ev.Findings)
			}
		}
		if err != nil {
			r.Fatal(err)
		}
		if wrong := r.left(before, 1); len(wrong) > 0 {
			r.Errorf("after the run:\n%s", strings.Join(wrong, "\n"))
		}
		if r.runner.stops() != 1 || !done.Changed || done.StopBegun || len(done.Owed) > 0 {
			r.Errorf("%d stops, done %+v", r.runner.stops(), done)
		}
		_ = runbooks.Stop
	})
}
