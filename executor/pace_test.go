package executor

import (
	"slices"
	"testing"
	"time"

	"drain/plan"
	"drain/reassign"
)

// slowedDown says that a plan was told that somebody else's throttle slows it down.
func slowedDown(findings []plan.Finding) bool {
	return slices.ContainsFunc(findings, func(f plan.Finding) bool { return f.Risk == "foreign-throttle" })
}

// A broker with a lower throttle of its operator's took five times as long as the
// plan had said: moves yield to it.
func TestThePlanKnowsTheThrottlesThatMovesYieldTo(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		rate := "2000000"
		if err := r.sim.SetBrokerConfig(4, reassign.FollowerRate, &rate); err != nil {
			r.Fatal(err)
		}
		before, client := r.sim.State(), r.dial()
		a, err := Assess(r.Context(), r.config(client))
		client.Close()
		if err != nil {
			r.Fatal(err)
		}
		began := time.Now()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
		took := time.Since(began) - r.rb.Confirm
		if want := a.Plan.Totals.Time; !slowedDown(a.Findings) || took < want*9/10 || took > want*11/10 {
			r.Errorf("took %v, and the plan says %v; slowed down %v", took, want, slowedDown(a.Findings))
		}
	})
}

// The rates that a run has set itself are none of somebody else.
func TestAPlanIsNotSlowedDownByThrottlesOfItsOwn(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		r.rb.Deadline, r.rb.AcceptRisks = 20*time.Second, []string{"throttle-too-long"}
		done, err := r.run()
		r.wants(err, ErrDeadline)
		if len(done.Owed) == 0 {
			r.Fatal("no throttle stands any more")
		}
		r.rb.Deadline, r.rb.Throttle.BytesPerSec = 0, 40_000_000
		client := r.dial()
		defer client.Close()
		a, err := Assess(r.Context(), r.config(client))
		if err != nil || slowedDown(a.Findings) {
			r.Errorf("%v: %v", err, a.Findings)
		}
	})
}
