package reassign

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"drain/plan"
)

// scene is a model with a plan, a driver and what it reported.
type scene struct {
	*testing.T
	*model
	ledger *memory
	before map[string]string
	told   []Event
	plan   plan.Plan
}

// play runs a test in virtual time on a cluster of brokers 1 to n.
func play(t *testing.T, n int32, test func(s *scene)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var brokers []int32
		for b := range n {
			brokers = append(brokers, b+1)
		}
		test(&scene{T: t, model: newModel(brokers...), ledger: &memory{}})
	})
}

// moves adds a partition in sync, and its move.
func (s *scene) moves(topic string, number int32, size float64, from, to int32, replicas ...int32) *modelPart {
	p := s.part(topic, number, size, replicas...)
	during, leads := plan.NoLeader, replicas[0]
	if replicas[0] == from {
		if leads = to; len(replicas) > 1 {
			during = replicas[1]
		}
	}
	s.plan.Moves = append(s.plan.Moves, s.move(topic, number, from, to, during, leads))
	return p
}

// driver makes one that goes on from the ledger.
func (s *scene) driver(o Options) *Driver {
	if s.before == nil {
		s.before = s.settings()
	}
	return New(s.ports(), s.ledger, s.ledger.book.Open(), o, func(e Event) {
		s.told = append(s.told, e)
		if b, ok := e.About(); ok && b < 1 {
			s.Errorf("%q is said to be about broker %d, and there is none", e.Text, b)
		}
		if e.Kind != Progressed {
			s.Logf("%-10s %s", e.Kind, e.Text)
		}
	})
}

// said returns the texts of the events of a kind.
func (s *scene) said(kind EventKind) []string {
	var texts []string
	for _, e := range s.told {
		if e.Kind == kind {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

func (s *scene) clean() {
	s.Helper()
	wantClean(s.T, s.model, s.ledger, s.before)
}

func (s *scene) done() {
	s.Helper()
	wantMoved(s.T, s.model, s.ledger, s.plan.Moves, s.before)
}

// at lets something happen in the cluster after a while.
func (s *scene) at(after time.Duration, then func()) {
	s.model.events = append(s.model.events, modelEvent{time.Now().Add(after), then})
}

func (s *scene) want(got, want any) {
	s.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.Errorf("got %v, want %v", got, want)
	}
}

func tp(topic string, partition int32) plan.TopicPartition {
	return plan.TopicPartition{Topic: topic, Partition: partition}
}
