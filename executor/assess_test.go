package executor

import (
	"slices"
	"testing"

	"drain/plan"
	"drain/reassign"
)

// A dry run found nothing wrong with a stop command that is not there and kept
// silent about a throttle of somebody else, and the run after it told of both.
func TestAnAssessmentFindsWhatTheCheckOfARunDoes(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		rate := "5000000"
		if err := r.sim.SetBrokerConfig(2, reassign.LeaderRate, &rate); err != nil {
			r.Fatal(err)
		}
		before := r.sim.State()
		client := r.dial()
		defer client.Close()
		a, err := Assess(r.Context(), r.config(client))
		if err != nil {
			r.Fatal(err)
		}
		if !slices.ContainsFunc(a.Findings, func(f plan.Finding) bool { return f.Risk == "leftover-throttle" && f.Broker == 2 }) {
			r.Errorf("nothing is said of the throttle: %v", a.Findings)
		}
		r.runner.missed = map[string]bool{"stop-it": true}
		_, err = Assess(r.Context(), r.config(client))
		r.wants(err, ErrUsage, "stop-it", "file does not exist")
		r.untouched(before)
	})
}
