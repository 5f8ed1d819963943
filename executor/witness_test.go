package executor

import (
	"errors"
	"testing"
	"time"

	"drain/internal/simkafka"
	"drain/plan"
	"drain/runbooks"
)

// fewBrokers is a cluster of these, without a topic.
func fewBrokers(ids ...int32) simkafka.Spec {
	s := simkafka.Spec{ID: "rig"}
	for _, b := range incident().Brokers {
		for _, id := range ids {
			if b.ID == id {
				s.Brokers = append(s.Brokers, b)
			}
		}
	}
	return s
}

// With nobody to ask, the target counted as gone: a stop command that did nothing
// was a stop that went well.
func TestAStopThatLeavesNobodyToTellIsRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		cluster simkafka.Spec
		brokers []int32
		want    string
	}{
		{"one broker", fewBrokers(1), []int32{1}, "without broker 1 no live broker is left"},
		{"both of two", fewBrokers(1, 2), []int32{1, 2}, "without brokers 1 and 2 no live broker is left"},
		{"the other one is down", fenced(fewBrokers(1, 2), 2), []int32{1}, "without broker 1 no live broker is left"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			simulate(t, tc.cluster, plainRunbook, func(r *rig) {
				r.rb.Brokers, r.runner.stop = tc.brokers, func(int32) {}
				r.rb.AcceptRisks = []string{"", "quorum-lost"}
				_, err := r.run()
				r.wants(err, ErrRefused, tc.want)
				if r.runner.stops() > 0 {
					r.Errorf("%d stops", r.runner.stops())
				}
				r.rb.Steps = []runbooks.Step{{Kind: runbooks.Check}, {Kind: runbooks.Cordon}, {Kind: runbooks.Move}}
				if _, err := r.run(); err != nil {
					r.Errorf("without a stop: %v", err)
				}
			})
		})
	}
}

func fenced(s simkafka.Spec, id int32) simkafka.Spec {
	for i := range s.Brokers {
		if s.Brokers[i].ID == id {
			s.Brokers[i].State = plan.Fenced
		}
	}
	return s
}

func TestNobodyToAskIsAnErrorAtOnce(t *testing.T) {
	t.Parallel()
	r := newRun(Config{})
	if seen, err := r.look(t.Context(), 1, []int32{1}); !errors.Is(err, errNoWitness) {
		t.Errorf("look: got %+v, %v; want %v", seen, err, errNoWitness)
	}
	if c, _, err := r.scan(t.Context(), nil); !errors.Is(err, errNoWitness) {
		t.Errorf("scan: got %+v, %v; want %v", c, err, errNoWitness)
	}
	began := time.Now()
	if err := r.awaitGone(t.Context(), 1, []int32{1}, began.Add(time.Hour)); !errors.Is(err, errNoWitness) || time.Since(began) > blindFor/2 {
		t.Errorf("await: got %v after %v, want %v", err, time.Since(began), errNoWitness)
	}
}
