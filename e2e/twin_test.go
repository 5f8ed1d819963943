package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"drain/internal/kafkatest"
	"drain/internal/simkafka"
	"drain/plan"
)

// scenario is a drain of broker 1 that is done on real brokers and on a
// simulated twin of them.
type scenario struct {
	name    string
	brokers []kafkatest.Broker
	topics  map[string]map[int32][]int32
	exit    int
}

var scenarios = []scenario{
	{
		name: "the incident in small", brokers: kafkatest.Brokers(5, "a", "b", "c"), exit: 0,
		topics: map[string]map[int32][]int32{"log": singleReplicas(6, 3), "pay": threeReplicas(6)},
	},
	{
		name: "as many replicas as brokers", brokers: kafkatest.Brokers(3), exit: 3,
		topics: map[string]map[int32][]int32{"full": {0: {1, 2, 3}, 1: {2, 3, 1}}, "log": {0: {1}}},
	},
	{
		name: "nothing on the broker", brokers: kafkatest.Brokers(3), exit: 0,
		topics: map[string]map[int32][]int32{"log": {0: {2}, 1: {3}}},
	},
}

// TestTheSimulatorEndsAsRealBrokersDo holds the simulated cluster against real
// ones: the same runbook ends with the same code, assignments and settings. It
// runs alone: what other clusters write to the disk would be in one picture and
// not in the other, and breaks ties of the plan.
func TestTheSimulatorEndsAsRealBrokersDo(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			c := kafkatest.Start(t, kafkatest.Spec{Brokers: sc.brokers, Config: map[string]string{"min.insync.replicas": "2"}})
			for _, topic := range slices.Sorted(maps.Keys(sc.topics)) {
				c.CreateTopic(topic, sc.topics[topic], nil)
				c.Fill(topic, 1e6)
			}
			twin := startTwin(t, c)
			before := c.Describe()

			real := newPlace(t)
			r := real.drain("run", real.runbook(runbookFor(c, "5MB/s")), "--yes")
			r.want(t, sc.exit)
			sim := newPlace(t)
			sim.env = []string{"DRAIN_SIMULATED=" + twin.ControlAddr()}
			s := sim.drain("run", sim.runbook(twinRunbook(twin)), "--yes")
			s.want(t, sc.exit)

			state := c.Describe()
			if sc.exit == 3 {
				refusalLeftNothing(t, before, state, c)
			}
			compareAssignments(t, state, twin.State())
			compareSettings(t, state, twin.State())
		})
	}
}

// refusalLeftNothing: a refused drain changes nothing and stops nothing.
func refusalLeftNothing(t *testing.T, before, after kafkatest.State, c *kafkatest.Cluster) {
	t.Helper()
	if diff := before.Diff(after); len(diff) > 0 {
		t.Errorf("a refusal changed the cluster: %v", diff)
	}
	if runs := c.StopRuns(1); runs != 0 {
		t.Errorf("a refused run stopped the broker %d times", runs)
	}
}

// startTwin starts a simulated cluster from a snapshot of a real one, as drain
// itself writes it.
func startTwin(t *testing.T, c *kafkatest.Cluster) *simkafka.Cluster {
	t.Helper()
	r := newPlace(t).drain("snapshot", "--bootstrap", c.BootstrapOf(2), "--broker", "1")
	r.want(t, 0)
	cluster, err := plan.ReadSnapshot(bytes.NewReader([]byte(r.stdout)))
	if err != nil {
		t.Fatalf("drain reads what it wrote: %v", err)
	}
	spec := simkafka.FromCluster(cluster)
	for i := range spec.Brokers { // all of a test's brokers are on one host
		spec.Brokers[i].Host, spec.Brokers[i].Port = "", 0
	}
	twin, err := simkafka.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(twin.Close)
	return twin
}

func twinRunbook(twin *simkafka.Cluster) string {
	bootstrap, _ := json.Marshal(twin.Bootstrap())
	return fmt.Sprintf(`version: 1
broker: 1
cluster:
  bootstrap: %s
throttle: 5MB/s
confirm: 5s
stop:
  command: ["{drain}", simulated-stop, "{broker}"]
`, bootstrap)
}

func compareAssignments(t *testing.T, real kafkatest.State, sim simkafka.Spec) {
	t.Helper()
	for _, topic := range sim.Topics {
		for _, p := range topic.Partitions {
			want := real.Topics[topic.Name].Partitions[p.Number].Replicas
			if !slices.Equal(p.Replicas, want) {
				t.Errorf("%s-%d: simulated %v, real %v", topic.Name, p.Number, p.Replicas, want)
			}
		}
	}
}

func compareSettings(t *testing.T, real kafkatest.State, sim simkafka.Spec) {
	t.Helper()
	for _, topic := range sim.Topics {
		if want := real.Configs["topic "+topic.Name]; !sameSettings(topic.Configs, want) {
			t.Errorf("topic %s: simulated %v, real %v", topic.Name, topic.Configs, want)
		}
	}
	for _, b := range sim.Brokers {
		owner := fmt.Sprintf("broker %d", b.ID)
		if slices.Contains(real.Silent, b.ID) {
			continue
		}
		if want := real.Configs[owner]; !sameSettings(b.Configs, want) {
			t.Errorf("%s: simulated %v, real %v", owner, b.Configs, want)
		}
	}
}
