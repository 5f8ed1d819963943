package executor

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"drain/internal/simkafka"
	"drain/plan"
)

// planned fails the test unless every partition that the journal has moved has
// the order that was planned, and the leader.
func (r *rig) planned() {
	r.Helper()
	at := map[plan.TopicPartition]simkafka.Partition{}
	for _, t := range r.sim.State().Topics {
		for _, p := range t.Partitions {
			at[plan.TopicPartition{Topic: t.Name, Partition: p.Number}] = p
		}
	}
	h := fold(r.records())
	for name, m := range h.moves {
		p := at[m.TopicPartition]
		if !h.moved[name] {
			r.Errorf("%v is not written down as moved", m.TopicPartition)
		}
		if !slices.Equal(p.Replicas, m.After) || p.Leader == nil || *p.Leader != m.LeadsFirst {
			r.Errorf("%v is %v, led by %v; planned were %v and %d", m.TopicPartition, p.Replicas, leaderOf(p), m.After, m.LeadsFirst)
		}
	}
}

func leaderOf(p simkafka.Partition) string {
	if p.Leader == nil {
		return "nobody"
	}
	return fmt.Sprint(*p.Leader)
}

// Kafka completes a move whose leader was put first meanwhile, after the run was
// interrupted or killed: the interim order stayed, and its leader. The next run
// took the move for complete.
func TestWhatNobodySawArriveGetsItsOrderAndLeader(t *testing.T) {
	t.Parallel()
	for _, between := range []string{"nothing", "a cleanup"} {
		simulate(t, slow(), plainRunbook, func(r *rig) {
			r.interrupted()
			if between == "a cleanup" {
				if _, err := r.cleanup(false); err != nil {
					r.Fatal(err)
				}
			}
			r.dieAt(KindAct) // before the stop, which moves leaders by itself
			_, _ = r.run()
			r.planned()
		})
	}
}

// The same after a process that was killed, once nothing else is left to move.
func TestAKilledRunsOrderIsSetThoughNothingIsLeftToMove(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		r.dieAfterTime(40 * time.Second)
		_, _ = r.run()
		r.pause(10 * time.Minute)
		r.disk = nil
		r.dieAt(KindAct)
		_, _ = r.run()
		r.planned()
	})
}
