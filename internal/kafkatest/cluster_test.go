package kafkatest_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"drain/internal/kafkatest"

	"github.com/twmb/franz-go/pkg/kadm"
)

func TestAKilledBrokerLeavesItsPartitionsAndComesBack(t *testing.T) {
	begin := time.Now()
	c := kafkatest.Start(t, kafkatest.Spec{Brokers: kafkatest.Brokers(5, "a", "b", "c")})
	t.Logf("five brokers and a controller up after %v", time.Since(begin))
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	c.CreateTopic("log", map[int32][]int32{0: {2}, 1: {3}}, nil)
	c.CreateTopic("pay", map[int32][]int32{0: {2, 3, 1}}, map[string]string{"min.insync.replicas": "2"})
	c.Fill("log", 2_000_000)
	dirs, err := kadm.NewClient(c.Client()).DescribeAllLogDirs(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, broker := range []int32{2, 3} { // each has one of the two partitions
		if size := dirs[broker].Size(); size < 1_000_000 || size > 1_020_000 {
			t.Errorf("broker %d holds %d bytes, want 1 MB and the heads of 100 records", broker, size)
		}
	}
	before := c.Describe()

	c.Kill(2)
	if c.Alive(2) {
		t.Error("broker 2 is alive after a kill")
	}
	if err := c.WaitBrokers(ctx, 1, 3, 4, 5); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"brokers: [1 2 3 4 5] -> [1 3 4 5]",
		"log-0 elr: [] -> [2]", "log-0 isr: [2] -> []", "log-0 leader: 2 -> -1", "log-0 offline: [] -> [2]",
		"pay-0 isr: [1 2 3] -> [1 3]", "pay-0 leader: 2 -> 3", "pay-0 offline: [] -> [2]",
	}
	if got := before.Diff(c.Describe()); !slices.Equal(got, want) {
		t.Errorf("after the kill:\ngot  %q\nwant %q", got, want)
	}

	c.Restart(2)
	if err := c.WaitBrokers(ctx, 1, 2, 3, 4, 5); err != nil {
		t.Fatal(err)
	}
	if err := c.WaitInSync(ctx); err != nil {
		t.Fatal(err)
	}
	if got, want := before.Diff(c.Describe()), []string{"pay-0 leader: 2 -> 3"}; !slices.Equal(got, want) {
		t.Errorf("after the restart: got %q, want %q", got, want)
	}
}
