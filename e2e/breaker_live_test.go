package e2e_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/kafkatest"
	"drain/plan"
)

// TestABystandersDeathHoldsTheRestBack kills a broker that has no part in the
// moves of a drain while many of them have still to start. From two polls after
// others take it for dead no new one begins, as the list of reassignments shows
// from outside; once it is back the drain goes on, and ends with 0.
func TestABystandersDeathHoldsTheRestBack(t *testing.T) {
	kafkatest.Need(t)
	c := kafkatest.Start(t, kafkatest.Spec{
		Brokers: kafkatest.Brokers(5),
		Config:  map[string]string{"replica.fetch.response.max.bytes": "1000000"},
	})
	lists := map[int32][]int32{}
	for p := range int32(40) {
		lists[p] = []int32{1}
	}
	c.CreateTopic("log", lists, nil)
	c.CreateTopic("aside", map[int32][]int32{0: {4, 5}, 1: {5, 4}}, nil)
	c.Fill("log", 24e6)
	before := c.Describe()

	starts := watchStarts(t, c, 4)
	p := newPlace(t)
	runbook := p.runbook(runbookFor(c, "1MB/s") + "destinations: [2, 3]\nmaxInFlight: 3\npoll: 1s\n")
	const poll = time.Second
	r := copying(t, p, runbook)
	eventually(t, killLimit, "some moves to start", func() bool { return len(starts.all()) > 5 })
	c.Kill(5)
	fenced := awaitFenced(t, c, 4, 5)
	time.Sleep(2 * poll)
	held := time.Now()
	time.Sleep(8 * time.Second)
	var late []string
	for name, at := range starts.all() {
		if at.After(held) {
			late = append(late, name+" "+at.Sub(fenced).String())
		}
	}
	started := len(starts.all())
	if len(late) > 0 || started == len(lists) {
		t.Errorf("of %d moves %d had begun; after broker 5 was fenced there began %v, want none later than %v", len(lists), started, late, 2*poll)
	}
	if !r.saw(func(ev event) bool { return strings.Contains(ev.Text, "broker 5 is away") }) {
		t.Error("the drain does not say that it waits for broker 5")
	}
	c.Restart(5)
	awaitBrokers(t, c, c.Brokers())
	r.wait(2*time.Minute).want(t, 0)
	judgeDrained(t, c, before)
	// A move of few bytes may come and go between two looks, the rest as a whole cannot.
	if moved := len(starts.all()); moved <= started {
		t.Errorf("%d moves had begun before broker 5 was back, and no other was seen later", moved)
	}
}

// starts are the moments at which reassignments were first seen, from outside.
type starts struct {
	mu   sync.Mutex
	seen map[string]time.Time // by partition
}

// watchStarts asks a broker for the reassignments in flight every 50 ms, until
// the end of the test.
func watchStarts(t *testing.T, c *kafkatest.Cluster, via int32) *starts {
	t.Helper()
	s := &starts{seen: map[string]time.Time{}}
	broker := c.Client().Broker(int(via))
	watch(t, 50*time.Millisecond, func(ctx context.Context) {
		if resp, err := broker.Request(ctx, kmsg.NewPtrListPartitionReassignmentsRequest()); err == nil { // no topics: all
			s.note(resp.(*kmsg.ListPartitionReassignmentsResponse))
		}
	})
	return s
}

func (s *starts) note(resp *kmsg.ListPartitionReassignmentsResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			name := plan.TopicPartition{Topic: topic.Topic, Partition: p.Partition}.String()
			if _, known := s.seen[name]; !known {
				s.seen[name] = time.Now()
			}
		}
	}
}

func (s *starts) all() map[string]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.seen)
}

// awaitFenced waits until the metadata of one broker no longer lists another,
// and returns when that was.
func awaitFenced(t *testing.T, c *kafkatest.Cluster, via, gone int32) time.Time {
	t.Helper()
	eventually(t, killLimit, "the dead broker to be fenced", func() bool {
		ids, err := c.BrokersSeenBy(t.Context(), via)
		return err == nil && !slices.Contains(ids, gone)
	})
	return time.Now()
}
