package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drain/internal/kafkatest"
)

// TestPlansOnRealBrokers takes the plan of one cluster to Kafka's own tool and
// back, and then carries a saved plan of mode at-risk out.
func TestPlansOnRealBrokers(t *testing.T) {
	t.Parallel()
	kafkatest.Need(t)
	c := kafkatest.Start(t, kafkatest.Spec{
		Brokers: kafkatest.Brokers(5, "a", "b", "c"),
		Config:  map[string]string{"min.insync.replicas": "2"},
	})
	c.CreateTopic("log", singleReplicas(6, 3), nil)
	c.CreateTopic("pay", threeReplicas(6), nil)
	c.CreateTopic("pair", map[int32][]int32{0: {1, 2}, 1: {3, 4}}, nil)
	c.Fill("log", 3e6)
	c.Fill("pay", 1e6)
	if !t.Run("kafka-reassign-partitions takes the plan and its rollback", func(t *testing.T) { reassignByHand(t, c) }) {
		return // what follows starts from the lists as they were
	}
	t.Run("a saved plan of mode at-risk", func(t *testing.T) { atRiskAsPlanned(t, c) })
}

// kafkaPlan is the file of --output kafka.
type kafkaPlan struct {
	Version    int
	Partitions []struct {
		Topic     string
		Partition int32
		Replicas  []int32
	}
}

// reassignByHand moves by ReassignPartitionsCommand as drain plan says, and back.
func reassignByHand(t *testing.T, c *kafkatest.Cluster) {
	p := newPlace(t)
	before := c.Describe()
	ask := []string{"plan", "--bootstrap", c.BootstrapOf(2), "--broker", "1", "--output", "kafka"}
	there, back := p.drain(ask...), p.drain(append(ask, "--rollback")...)
	there.want(t, 0)
	back.want(t, 0)
	for _, file := range []string{there.stdout, back.stdout} {
		var doc kafkaPlan
		if err := json.Unmarshal([]byte(file), &doc); err != nil || doc.Version != 1 || len(doc.Partitions) == 0 {
			t.Fatalf("%v in %s", err, file)
		}
		if out, err := c.JavaReassign(t.Context(), []byte(file), "--execute"); err != nil || !strings.Contains(out, "Successfully started partition reassignments") {
			t.Fatalf("%v\n%s", err, out)
		}
		awaitLists(t, c, doc)
		if out, err := c.JavaReassign(t.Context(), []byte(file), "--verify"); err != nil || strings.Count(out, " is completed.") < len(doc.Partitions) {
			t.Errorf("%v\n%s", err, out)
		}
		if file == there.stdout {
			if left := c.Describe().OnBroker(1); len(left) > 0 {
				t.Errorf("the plan leaves %v on broker 1", left)
			}
		}
	}
	for name, topic := range before.Topics {
		for n, was := range topic.Partitions {
			if is := c.Describe().Topics[name].Partitions[n].Replicas; !slices.Equal(is, was.Replicas) {
				t.Errorf("%s-%d: %v after the rollback, %v before the plan", name, n, is, was.Replicas)
			}
		}
	}
}

// awaitLists waits until the lists are those of the file and nothing is in flight.
func awaitLists(t *testing.T, c *kafkatest.Cluster, doc kafkaPlan) {
	t.Helper()
	_, err := c.WaitState(t.Context(), "the lists of the plan", func(s kafkatest.State) error {
		for _, want := range doc.Partitions {
			is := s.Topics[want.Topic].Partitions[want.Partition]
			if !slices.Equal(is.Replicas, want.Replicas) || len(is.Adding)+len(is.Removing) > 0 {
				return fmt.Errorf("%s-%d: %v, want %v", want.Topic, want.Partition, is.Replicas, want.Replicas)
			}
			if len(is.ISR) < len(is.Replicas) {
				return errors.New("not in sync yet")
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// atRiskAsPlanned runs a plan made before: what the stop would harm moves where
// the plan says, and the rest stays. Where its destinations may not receive, it is
// refused.
func atRiskAsPlanned(t *testing.T, c *kafkatest.Cluster) {
	p := newPlace(t)
	runbook := p.runbook(runbookFor(c, "5MB/s") + "mode: at-risk\n")
	before := c.Describe()
	made := p.drain("plan", runbook, "--output", "json")
	made.want(t, 0)
	file := filepath.Join(p.dir, "plan.json")
	if err := os.WriteFile(file, []byte(made.stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	r := p.drain("run", runbook, "--yes", "--plan", file, "--exclude", "4,5")
	r.want(t, 3)
	if !strings.Contains(r.stderr, "plan-mismatch") || !before.Equal(c.Describe()) {
		t.Errorf("want a mismatch and nothing changed, got %v", r)
	}

	r = p.drain("run", runbook, "--yes", "--plan", file)
	r.want(t, 0)
	if !strings.Contains(r.stderr, "given up:") {
		t.Errorf("what at-risk gives up is not said: %v", r)
	}
	judgeAtRisk(t, c, before, []byte(made.stdout))
}

// judgeAtRisk holds the cluster against the plan: its moves are made, no other
// list has changed, and everything has a leader that is not broker 1.
func judgeAtRisk(t *testing.T, c *kafkatest.Cluster, before kafkatest.State, plan []byte) {
	t.Helper()
	var doc struct {
		Moves []struct {
			Topic     string
			Partition int32
			After     []int32
		}
	}
	if err := json.Unmarshal(plan, &doc); err != nil {
		t.Fatal(err)
	}
	want := map[string][]int32{}
	for name, topic := range before.Topics {
		for n, was := range topic.Partitions {
			want[fmt.Sprintf("%s-%d", name, n)] = was.Replicas
		}
	}
	for _, m := range doc.Moves {
		want[fmt.Sprintf("%s-%d", m.Topic, m.Partition)] = m.After
	}
	after := c.Describe()
	for name, topic := range after.Topics {
		for n, is := range topic.Partitions {
			key := fmt.Sprintf("%s-%d", name, n)
			if !slices.Equal(is.Replicas, want[key]) {
				t.Errorf("%s is on %v, want %v", key, is.Replicas, want[key])
			}
			if is.Leader < 0 || is.Leader == 1 {
				t.Errorf("%s is led by %d", key, is.Leader)
			}
		}
	}
	if moved := len(doc.Moves); moved != 4 { // log-0 to log-2, and pair-0, whose minimum is 2
		t.Errorf("%d moves, want 4", moved)
	}
	if len(after.OnBroker(1)) == 0 || c.StopRuns(1) != 1 || c.Alive(1) {
		t.Errorf("on broker 1 %v, stopped %d times, alive %t", after.OnBroker(1), c.StopRuns(1), c.Alive(1))
	}
}
