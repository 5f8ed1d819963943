package kafkatest_test

import (
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"

	"drain/internal/kafkatest"

	"github.com/twmb/franz-go/pkg/kadm"
)

func TestAZooKeeperClusterStopsABrokerByCommand(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Spec{Version: "3.9.2", ZooKeeper: true, Brokers: kafkatest.Brokers(2)})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	meta, err := kadm.NewClient(c.Client()).BrokerMetadata(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if meta.Cluster != c.ClusterID() {
		t.Errorf("cluster id: got %q, want Metadata's %q", c.ClusterID(), meta.Cluster)
	}
	c.CreateTopic("pay", map[int32][]int32{0: {1, 2}}, nil)
	before := c.Describe()
	stop := c.StopCommand(1)
	if out, err := exec.CommandContext(ctx, stop[0], stop[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", stop, err, out)
	}
	if err := c.WaitExit(1, 20*time.Second); err != nil {
		t.Fatal(err)
	}
	if err := c.WaitBrokers(ctx, 2); err != nil {
		t.Fatal(err)
	}
	if one, two := c.StopRuns(1), c.StopRuns(2); one != 1 || two != 0 {
		t.Errorf("the stop command ran %d times for broker 1 and %d for 2, want 1 and 0", one, two)
	}
	want := []string{"brokers: [1 2] -> [2]", "pay-0 isr: [1 2] -> [2]", "pay-0 leader: 1 -> 2", "pay-0 offline: [] -> [1]"}
	if got := before.Diff(c.Describe()); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
