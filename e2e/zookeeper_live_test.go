package e2e_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"drain/internal/kafkatest"
)

// TestTopicsQueuedForDeletion empties a broker of a ZooKeeper cluster in which
// two topics are deleted that cannot go at once: one has a replica on a broker
// that is down, of the other two partitions are just being moved.
func TestTopicsQueuedForDeletion(t *testing.T) {
	kafkatest.Need(t)
	c := kafkatest.Start(t, kafkatest.Spec{
		Version: "3.9.2", ZooKeeper: true, Brokers: kafkatest.Brokers(4),
		Config: map[string]string{"replica.fetch.response.max.bytes": "1000000"},
	})
	lists := map[int32][]int32{}
	for n := range int32(6) {
		lists[n] = []int32{1, 2}
	}
	c.CreateTopic("moved", lists, nil)
	c.Fill("moved", 24e6)
	c.CreateTopic("down", map[int32][]int32{0: {1, 4}, 1: {1, 2}}, nil)
	c.Fill("down", 2e6)
	c.CreateTopic("stays", map[int32][]int32{0: {1, 2}}, nil)
	c.Fill("stays", 1e6)
	before := c.Describe()
	c.Kill(4)
	awaitBrokers(t, c, []int32{1, 2, 3})
	deleteTopics(t, c, []string{"down"})
	p := newPlace(t)
	r := copying(t, p, p.runbook(emptying(t, c)), "--accept-risk", "under-min-isr")
	flying := c.Describe().Where(func(p kafkatest.Partition) bool { return len(p.Adding) > 0 })
	deleteTopics(t, c, []string{"moved"})
	r.wait(2*time.Minute).want(t, 0)
	after := emptied(t, c, before)
	if names := namesOf(after); slices.Contains(names, "moved") || slices.Contains(names, "down") {
		t.Errorf("there are %v, want moved and down gone", names)
	}
	if got := after.Topics["stays"].Partitions[0].Replicas; len(got) != 2 {
		t.Errorf("stays-0 is on %v", got)
	}
	if !r.saw(func(ev event) bool { return strings.Contains(ev.Text, "void") && strings.Contains(ev.Text, "moved-") }) {
		t.Errorf("the partitions of moved are not told to be void; %v were in flight", flying)
	}
	t.Logf("in flight at the deletion: %v", flying)
}
