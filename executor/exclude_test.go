package executor

import (
	"testing"

	"drain/internal/simkafka"
)

// kept fails the test unless exactly the partitions of the topics named are
// still on broker 1.
func (r *rig) kept(topics ...string) {
	r.Helper()
	want := map[string]bool{}
	for _, name := range topics {
		want[name] = true
	}
	before := map[string]simkafka.Topic{}
	for _, topic := range incident().Topics {
		before[topic.Name] = topic
	}
	for _, topic := range r.sim.State().Topics {
		for i, p := range topic.Partitions {
			if was := holds(before[topic.Name].Partitions[i], 1); holds(p, 1) != (was && want[topic.Name]) {
				r.Errorf("%s-%d is on %v", topic.Name, p.Number, p.Replicas)
			}
		}
	}
}

// An excluded topic leaves the broker non-empty: that is refused before any
// change, and at the gate only what was accepted may stay.
func TestAnExcludedTopicStaysIfThatIsAccepted(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook+"excludeTopics: [pay]\n", func(r *rig) {
		before := r.sim.State()
		_, err := r.run()
		r.wants(err, ErrRefused, "excluded-topics", "topic pay is excluded")
		r.untouched(before)
		r.rb.AcceptRisks = []string{"excluded-topics"}
		if done, err := r.run(); err != nil || len(done.Stopped) != 1 {
			r.Fatalf("accepted: %v, done %+v", err, done)
		}
		r.kept("pay")
	})
}

// What only the drained broker holds is not left there by an exclude, whatever
// is accepted of excluding it.
func TestAnExcludedTopicThatTheStopWouldHarmIsRefused(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"evacuate", "at-risk"} {
		simulate(t, incident(), plainRunbook+"excludeTopics: [/lo./]\nacceptRisks: [excluded-topics]\nmode: "+mode+"\n", func(r *rig) {
			before := r.sim.State()
			_, err := r.run()
			r.wants(err, ErrRefused, "leaderless", "log-0 is of an excluded topic")
			r.untouched(before)
		})
	}
}

func TestAnExcludedTopicStaysInModeAtRisk(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook+"excludeTopics: [pay]\nmode: at-risk\n", func(r *rig) {
		if done, err := r.run(); err != nil || len(done.Stopped) != 1 {
			r.Fatalf("%v, done %+v", err, done)
		}
		r.kept("pay")
	})
}

func TestOnlyTheDestinationRacksReceive(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook+"destinationRacks: [a]\n", func(r *rig) {
		before := r.sim.State()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		for i, topic := range r.sim.State().Topics {
			for k, p := range topic.Partitions {
				if holds(before.Topics[i].Partitions[k], 1) && !holds(p, 4) {
					r.Errorf("%s-%d went to %v, and broker 4 is the other one of rack a", topic.Name, p.Number, p.Replicas)
				}
			}
		}
	})
}

// Two go at once, and one replica more keeps the minimum: the other one stays,
// and the gate knows that the plan left it.
func TestAtRiskLeavesOneOfTwoReplicas(t *testing.T) {
	t.Parallel()
	s := incident()
	s.Topics = []simkafka.Topic{{Name: "pay", Partitions: []simkafka.Partition{{Replicas: []int32{1, 2, 3}, Bytes: 1 << 20}}}}
	simulate(t, s, `
version: 1
brokers: [1, 2]
cluster: {bootstrap: ["kafka-3:9092"]}
throttle: 10MB/s
mode: at-risk
stop: {command: [stop-it, "{broker}"], timeout: 1m}
confirm: 20s
`, func(r *rig) {
		if done, err := r.run(); err != nil || len(done.Stopped) != 2 {
			r.Fatalf("%v, done %+v", err, done)
		}
		list := r.sim.State().Topics[0].Partitions[0].Replicas
		stay := 0
		for _, id := range list {
			if id <= 2 {
				stay++
			}
		}
		if len(list) != 3 || stay != 1 {
			r.Errorf("replicas %v, want one of brokers 1 and 2 left", list)
		}
	})
}
