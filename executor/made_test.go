package executor

import (
	"context"
	"slices"
	"testing"
	"time"

	"drain/plan"
)

// carryOut runs with a plan that was made before.
func (r *rig) carryOut(ctx context.Context, p plan.Plan, made Made) (Done, error) {
	client := r.dial()
	defer client.Close()
	cfg := r.config(client)
	cfg.Plan, cfg.Made = plan.Saved(p), made
	return Run(ctx, cfg)
}

// otherTargets is a plan that no run would make by itself: all goes to broker 4.
func (r *rig) otherTargets() plan.Plan {
	client := r.dial()
	defer client.Close()
	c, err := client.Snapshot(r.Context(), PlanRequest(r.rb).Scope())
	if err != nil {
		r.Fatal(err)
	}
	req := PlanRequest(r.rb)
	req.Destinations = []int32{4}
	p, err := plan.Compute(c, req)
	if err != nil || len(p.Blocked()) > 0 {
		r.Fatal(err, p.Blocked())
	}
	return p
}

// A plan that sends all to broker 4 is carried out as it is, through an
// interrupt; under another plan, or none, the journal is not gone on with.
func TestARunUnderAPlanIsGoneOnWithUnderTheSame(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		p := r.otherTargets()
		mine := Made{File: "/plans/p.json", Hash: "mine"}
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(20*time.Second, cancel)
		done, err := r.carryOut(ctx, p, mine)
		r.wants(err, ErrInterrupted)
		if !done.Changed || !r.said(EventLast, "drain run /runbooks/broker-1.yaml --plan /plans/p.json") {
			r.Errorf("done %+v, last words %q", done, r.texts(EventLast))
		}
		_, err = r.run()
		r.wants(err, ErrJournal, "the plan of --plan")
		_, err = r.carryOut(r.Context(), p, Made{File: "/plans/q.json", Hash: "other"})
		r.wants(err, ErrJournal, "the plan of --plan")
		if _, err := r.carryOut(r.Context(), p, mine); err != nil {
			r.Fatal(err)
		}
		targets := map[plan.TopicPartition][]int32{}
		for _, m := range p.Moves {
			targets[m.TopicPartition] = m.After
		}
		for _, topic := range r.sim.State().Topics {
			for _, part := range topic.Partitions {
				name := plan.TopicPartition{Topic: topic.Name, Partition: part.Number}
				if want, moved := targets[name]; moved && !slices.Equal(part.Replicas, want) {
					r.Errorf("%v is on %v, want %v as planned", name, part.Replicas, want)
				}
			}
		}
	})
}

func TestAPlanThatDoesNotMatchIsRefusedBeforeAnyChange(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		p := r.otherTargets()
		r.rb.Exclude = []int32{4}
		done, err := r.carryOut(r.Context(), p, Made{Hash: "mine"})
		r.wants(err, ErrRefused, "plan-mismatch", "was to go to broker 4, which may not receive by the runbook", "make a new plan")
		if done.Changed || r.runner.stops() > 0 || len(r.sim.Requests()) > 0 {
			r.Errorf("done %+v, %d stops", done, r.runner.stops())
		}
	})
}
