package executor

import (
	"fmt"
	"testing"
	"time"

	"drain/internal/simkafka"
	"drain/plan"
)

// Topics that land on the broker while it is drained are moved too.
func TestNewReplicasOnTheTargetAreMovedToo(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Cordon = "off"
		late := simkafka.Topic{Name: "tardy", Partitions: []simkafka.Partition{
			{Number: 0, Replicas: []int32{1, 3}, Bytes: 1 << 20}, {Number: 1, Replicas: []int32{1, 2}, Bytes: 1 << 20},
		}}
		time.AfterFunc(4*time.Second, func() {
			if err := r.sim.CreateTopic(late); err != nil {
				r.Error(err)
			}
		})
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		for _, p := range r.sim.State().Topics[2].Partitions {
			if len(p.Replicas) != len(late.Partitions[p.Number].Replicas) || holds(p, 1) {
				r.Errorf("tardy-%d is on %v", p.Number, p.Replicas)
			}
		}
		if !r.said(EventWarn, "2 new replicas are on a drained broker") {
			r.Errorf("said %q", r.texts(EventWarn))
		}
	})
}

func holds(p simkafka.Partition, id int32) bool {
	for _, r := range p.Replicas {
		if r == id {
			return true
		}
	}
	return false
}

func TestReplicasThatKeepComingBlockTheStop(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Cordon = "off"
		done := make(chan struct{})
		defer close(done)
		go func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				case <-time.After(2 * time.Second):
				}
				if err := r.sim.CreateTopic(simkafka.Topic{Name: fmt.Sprintf("more%d", i), Partitions: []simkafka.Partition{{Replicas: []int32{1}, Bytes: 1}}}); err != nil {
					return
				}
			}
		}()
		d, err := r.run()
		r.wants(err, ErrBlocked, "has a replica on broker 1")
		if d.StopBegun || r.runner.stops() > 0 {
			r.Errorf("done %+v, %d stops", d, r.runner.stops())
		}
	})
}

// What the login may not see still lies on the disks.
func TestAHiddenTopicBlocksTheStop(t *testing.T) {
	t.Parallel()
	s := incident()
	s.Topics = append(s.Topics, simkafka.Topic{Name: "secret", Hidden: true, Partitions: []simkafka.Partition{{Replicas: []int32{1}, Bytes: 1}}})
	simulate(t, s, plainRunbook, func(r *rig) {
		_, err := r.run()
		if err == nil || r.runner.stops() > 0 || !r.sim.Running(1) {
			r.Fatalf("got %v, %d stops", err, r.runner.stops())
		}
		r.wants(err, ErrRefused, "secret")
	})
}

func TestAStrayLogBlocksUnlessItIsAccepted(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		if err := r.sim.AddStrayLog(1, plan.TopicPartition{Topic: "pay", Partition: 99}, 1<<20); err != nil {
			r.Fatal(err)
		}
		done, err := r.run()
		r.wants(err, ErrBlocked, "stray-log", "pay-99")
		if done.StopBegun || !done.Changed || r.runner.stops() > 0 {
			r.Errorf("done %+v, %d stops", done, r.runner.stops())
		}
		r.rb.AcceptRisks = []string{"stray-log"}
		if _, err := r.run(); err != nil || r.runner.stops() != 1 {
			r.Errorf("accepted: %v, %d stops", err, r.runner.stops())
		}
	})
}

func TestAStopWithoutMovesStopsAnEmptyBrokerOnly(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Steps = r.rb.Steps[3:]
		done, err := r.run()
		r.wants(err, ErrBlocked, "log-0 has a replica on broker 1")
		if done.Changed || r.runner.stops() > 0 {
			r.Errorf("done %+v, %d stops", done, r.runner.stops())
		}
	})
	s := incident()
	s.Topics = nil
	simulate(t, s, plainRunbook, func(r *rig) {
		r.rb.Steps = r.rb.Steps[3:]
		if done, err := r.run(); err != nil || r.runner.stops() != 1 || len(done.Stopped) != 1 {
			r.Errorf("an empty broker: %v, done %+v", err, done)
		}
	})
}

// Mode at-risk leaves what the stop does no harm to.
func TestAtRiskMovesOnlyWhatTheStopWouldHarm(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Mode = "at-risk"
		done, err := r.run()
		if err != nil {
			r.Fatalf("%v\n%q", err, r.texts(EventWarn))
		}
		s := r.sim.State()
		for _, p := range s.Topics[0].Partitions {
			if holds(p, 1) {
				r.Errorf("log-%d, a single replica, is still on broker 1", p.Number)
			}
		}
		for _, p := range s.Topics[1].Partitions {
			if !holds(p, 1) || *p.Leader == 1 || *p.Leader < 0 {
				r.Errorf("pay-%d has replicas %v and leader %d, want broker 1 kept and not leading", p.Number, p.Replicas, *p.Leader)
			}
		}
		if done.StopBegun || len(done.Stopped) != 1 {
			r.Errorf("done %+v", done)
		}
	})
}
