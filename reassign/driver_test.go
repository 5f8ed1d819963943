package reassign

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"drain/plan"
)

// incident is a cluster in the shape of the incident: single replicas beside
// topics of factor three, and broker 1 leading some of both.
func incident() (*model, plan.Plan) {
	m := newModel(1, 2, 3, 4, 5)
	m.defaults[MinISR] = "2"
	var p plan.Plan
	for i := range int32(4) {
		m.part("log", i, 2e6, 1)
		p.Moves = append(p.Moves, m.move("log", i, 1, 2+i, plan.NoLeader, 2+i))
	}
	for i := range int32(4) {
		m.part("pay", i, 1e6, 1, 2, 3)
		p.Moves = append(p.Moves, m.move("pay", i, 1, 4+i%2, 2, 4+i%2))
	}
	p.Brokers = []int32{1}
	return m, p
}

func TestMove(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, p := incident()
		before := m.settings()
		ledger := &memory{}
		d := New(m.ports(), ledger, nil, Options{BytesPerSec: 1e6}, logging(t))
		start := time.Now()
		if err := d.Move(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		t.Log(time.Since(start))
		for _, mv := range p.Moves {
			part := m.parts[mv.TopicPartition]
			if !sameSet(part.replicas, mv.After) || part.replicas[0] != mv.LeadsFirst || part.leader != mv.LeadsFirst {
				t.Errorf("%v is at %v, led by %d; want %v", mv.TopicPartition, part.replicas, part.leader, mv.After)
			}
		}
		if after := m.settings(); !maps.Equal(before, after) {
			t.Errorf("settings are %v, were %v", after, before)
		}
		if open := ledger.book.Open(); len(open) > 0 {
			t.Errorf("still owed: %v", open)
		}
	})
}
