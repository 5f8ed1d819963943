package kafka_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"drain/internal/kafka"
	"drain/internal/kafkatest"
	"drain/plan"
)

// TestRealCluster tries the adapter on four real brokers. The steps share the
// cluster and run in order; the last ones break it.
func TestRealCluster(t *testing.T) {
	r := realCluster{T: t, Cluster: kafkatest.Start(t, kafkatest.Spec{
		Brokers: []kafkatest.Broker{{ID: 1, Rack: "a"}, {ID: 2, Rack: "b"}, {ID: 3, Rack: "c"}, {ID: 4, Rack: "a", LogDirs: 2}},
		Config: map[string]string{
			"min.insync.replicas":              "2",
			"replica.fetch.response.max.bytes": "100000", // so that a throttle of nothing holds a move
			"auto.leader.rebalance.enable":     "false",
		},
	})}
	r.CreateTopic("log", map[int32][]int32{0: {1}, 1: {2}, 2: {4}}, map[string]string{"min.insync.replicas": "1", "retention.ms": "100000000"})
	r.CreateTopic("pay", map[int32][]int32{0: {1, 2, 3}, 1: {2, 3, 1}}, nil)
	r.Fill("pay", 4_000_000)
	r.commitOffsets("ledger")
	c, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: []string{r.BootstrapOf(1)}, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Avoid(1)
	r.c = c
	for _, step := range []struct {
		name string
		do   func(realCluster)
	}{
		{"a snapshot is what the judge sees", realCluster.snapshotIsTrue},
		{"sizes are those of the files", realCluster.sizesAreTrue},
		{"the cluster tells its kind", realCluster.kindIsTrue},
		{"the cluster tells the time", realCluster.clockIsTrue},
		{"no snapshot shows a move without its reassignment", realCluster.noInflation},
		{"settings are set, read back and given back", realCluster.settingsRoundTrip},
		{"a throttled move is seen, led from the target list and cancelled", realCluster.moveAndCancel},
		{"a replica goes to the log dir named before", realCluster.placed},
		{"a cordon is read back", realCluster.cordoned},
		{"coordinators answer", realCluster.coordinatorsAnswer},
		{"a hung broker is named and goes round", realCluster.hungBroker},
		{"the bootstrap broker dies and the client goes on", realCluster.bootstrapDies},
	} {
		t.Run(step.name, func(t *testing.T) {
			r.T = t
			step.do(r)
		})
	}
}

type realCluster struct {
	*testing.T
	*kafkatest.Cluster
	c *kafka.Client
}

// commitOffsets makes a group, and with it __consumer_offsets.
func (r realCluster) commitOffsets(group string) {
	cl := r.Client()
	defer cl.Close()
	offsets := kadm.Offsets{"pay": {0: {Topic: "pay", At: 1}}}
	if err := kadm.NewClient(cl).CommitAllOffsets(r.T.Context(), group, offsets); err != nil {
		r.Fatal(err)
	}
	if err := r.WaitInSync(r.T.Context()); err != nil {
		r.Fatal(err)
	}
}

func (r realCluster) snapshot(s plan.Scope) plan.Cluster {
	r.T.Helper()
	cluster, err := r.c.Snapshot(r.T.Context(), s)
	if err != nil {
		r.Fatal(err)
	}
	return cluster
}

// broker is one broker of a fresh snapshot.
func (r realCluster) broker(id int32) (plan.Broker, bool) {
	r.T.Helper()
	cluster := r.snapshot(plan.Scope{Via: -1, Space: true})
	return cluster.Broker(id)
}

func (r realCluster) soon(what string, want func() error) {
	r.T.Helper()
	soon(r.T, what, want)
}

// soon tries until want is satisfied: brokers learn of changes by themselves.
func soon(t *testing.T, what string, want func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := want()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, err)
		}
	}
}

// asState puts a snapshot in the judge's words.
func asState(c plan.Cluster) kafkatest.State {
	s := kafkatest.State{Topics: map[string]kafkatest.Topic{}, Configs: map[string]map[string]string{}}
	for _, b := range c.Brokers {
		if b.Live() {
			s.Brokers = append(s.Brokers, b.ID)
		}
	}
	for _, topic := range c.Topics {
		s.Topics[topic.Name] = kafkatest.Topic{ID: topic.ID, Partitions: map[int32]kafkatest.Partition{}}
		if topic.Configs != nil {
			s.Configs["topic "+topic.Name] = topic.Configs
		}
	}
	for i := range c.NumPartitions() {
		p := c.Partition(i)
		s.Topics[c.Topics[p.Topic].Name].Partitions[p.Number] = kafkatest.Partition{
			Leader: p.Leader, Replicas: p.Replicas, ISR: sorted(p.ISR), ELR: sorted(p.ELR),
			Offline: sorted(p.Offline), Adding: sorted(p.Adding), Removing: sorted(p.Removing),
		}
	}
	return s
}

func sorted(ids []int32) []int32 { return slices.Sorted(slices.Values(ids)) }

// sameAsJudge compares with what the judge reads just before and after.
func (r realCluster) sameAsJudge(s plan.Scope) plan.Cluster {
	r.T.Helper()
	var cluster plan.Cluster
	r.soon("snapshot and judge agree", func() error {
		judge := r.Describe()
		maps.DeleteFunc(judge.Configs, func(layer string, _ map[string]string) bool { return layer == "brokers" || layer[:6] == "broker" })
		cluster = r.snapshot(s)
		if diff := judge.Diff(asState(cluster)); len(diff) > 0 {
			return fmt.Errorf("judge -> snapshot: %v", diff)
		}
		return nil
	})
	return cluster
}
