package executor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"drain/plan"
	"drain/reassign"
)

// TestOnlyWhatFitsADrainIsAnOrphan: broker 1 was drained, its journal is lost.
func TestOnlyWhatFitsADrainIsAnOrphan(t *testing.T) {
	t.Parallel()
	const leaders, followers = reassign.LeaderList, reassign.FollowerList
	rate := func(broker int32, key, value string) reassign.ResourceConfig {
		return reassign.ResourceConfig{Resource: reassign.OfBroker(broker), Entries: []reassign.Entry{{Key: key, Value: value, Layer: reassign.DynamicBroker}}}
	}
	for _, tc := range []struct {
		name       string
		partitions []plan.PartitionView // of topic t, numbered from 0
		configs    map[string]string    // of topic t
		brokers    []reassign.ResourceConfig
		moves      []string
		settings   []string
		alone      []string // a word of each
	}{
		{name: "nothing at all", partitions: []plan.PartitionView{{Replicas: []int32{1, 2}}}},
		{
			name:       "a move away with its throttle",
			partitions: []plan.PartitionView{{Replicas: []int32{4, 2, 1}, Adding: []int32{4}, Removing: []int32{1}}},
			configs:    map[string]string{leaders: "0:1,0:2", followers: "0:4"},
			brokers:    []reassign.ResourceConfig{rate(1, reassign.LeaderRate, "5"), rate(4, reassign.FollowerRate, "5")},
			moves:      []string{"t-0 [1 2] [4 2]"},
			settings: []string{"topic t " + leaders + " [0:1 0:2]", "topic t " + followers + " [0:4]",
				"broker 1 " + reassign.LeaderRate + " 5", "broker 4 " + reassign.FollowerRate + " 5"},
		},
		{
			name:       "a move that has ended since, its throttle left",
			partitions: []plan.PartitionView{{Replicas: []int32{4, 2}}},
			configs:    map[string]string{leaders: "0:1,0:2", followers: "0:4"},
			brokers:    []reassign.ResourceConfig{rate(2, reassign.LeaderRate, "5"), rate(4, reassign.FollowerRate, "5")},
			settings: []string{"topic t " + leaders + " [0:1 0:2]", "topic t " + followers + " [0:4]",
				"broker 2 " + reassign.LeaderRate + " 5", "broker 4 " + reassign.FollowerRate + " 5"},
		},
		{
			name:       "a move that was never begun, its throttle made",
			partitions: []plan.PartitionView{{Replicas: []int32{1, 2}}},
			configs:    map[string]string{leaders: "0:1,0:2", followers: "0:4", reassign.MinISR: "2"},
			brokers:    []reassign.ResourceConfig{rate(4, reassign.FollowerRate, "5")},
			settings: []string{"topic t " + leaders + " [0:1 0:2]", "topic t " + followers + " [0:4]",
				"broker 4 " + reassign.FollowerRate + " 5"},
			alone: []string{"min.insync.replicas"},
		},
		{
			name:       "an operator's wildcard keeps every rate that it is for",
			partitions: []plan.PartitionView{{Replicas: []int32{4, 2, 1}, Adding: []int32{4}, Removing: []int32{1}}},
			configs:    map[string]string{leaders: "*"},
			brokers:    []reassign.ResourceConfig{rate(2, reassign.LeaderRate, "5")},
			moves:      []string{"t-0 [1 2] [4 2]"},
			alone:      []string{"*", "throttled there"},
		},
		{
			name: "a move of somebody else's keeps its entries and its rates",
			partitions: []plan.PartitionView{
				{Replicas: []int32{4, 2, 1}, Adding: []int32{4}, Removing: []int32{1}},
				{Replicas: []int32{4, 3}, Adding: []int32{4}, Removing: []int32{3}},
			},
			configs:  map[string]string{followers: "0:4,1:4"},
			brokers:  []reassign.ResourceConfig{rate(1, reassign.LeaderRate, "5"), rate(4, reassign.FollowerRate, "5")},
			moves:    []string{"t-0 [1 2] [4 2]"},
			settings: []string{"topic t " + followers + " [0:4]", "broker 1 " + reassign.LeaderRate + " 5"},
			alone:    []string{"1:4", "throttled there"},
		},
		{
			name: "moves that are no drain's",
			partitions: []plan.PartitionView{
				{Replicas: []int32{4, 3, 1, 2}, Adding: []int32{4, 3}, Removing: []int32{1, 2}},
				{Replicas: []int32{2, 1}, Removing: []int32{1}},
				{Replicas: []int32{1, 2}, Adding: []int32{1}, Removing: []int32{2}},
			},
			alone: []string{"other brokers too", "number of replicas"},
		},
		{
			name:       "an entry of a partition that is still there may be anybody's",
			partitions: []plan.PartitionView{{Replicas: []int32{1, 2}}},
			configs:    map[string]string{leaders: "0:1"},
			brokers:    []reassign.ResourceConfig{rate(1, reassign.LeaderRate, "5"), rate(3, reassign.FollowerRate, "7")},
			alone:      []string{"0:1", "throttled there", "no move away"},
		},
		{
			name:       "cordons: all log dirs of the broker, and no other",
			partitions: []plan.PartitionView{{Replicas: []int32{1, 2}}},
			brokers:    []reassign.ResourceConfig{rate(1, reassign.CordonedDirs, "*"), rate(2, reassign.CordonedDirs, "*")},
			settings:   []string{"broker 1 " + reassign.CordonedDirs + " *"},
		},
		{
			name:       "a cordon of one log dir is somebody's",
			partitions: []plan.PartitionView{{Replicas: []int32{1, 2}}},
			brokers:    []reassign.ResourceConfig{rate(1, reassign.CordonedDirs, "/d1")},
			alone:      []string{"/d1"},
		},
		{
			name:       "the override of min.insync.replicas is a person's to judge",
			partitions: []plan.PartitionView{{Replicas: []int32{4, 1}, Adding: []int32{4}, Removing: []int32{1}}},
			configs:    map[string]string{reassign.MinISR: "1"},
			moves:      []string{"t-0 [1] [4]"},
			alone:      []string{"min.insync.replicas"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := oneTopic(t, tc.configs, tc.partitions)
			found := orphansOf(&c, tc.brokers, []int32{1})
			var moves, settings []string
			for _, m := range found.Moves {
				moves = append(moves, fmt.Sprintf("%v %v %v", m.TopicPartition, m.Before, m.After))
			}
			for _, d := range found.Debts {
				settings = append(settings, fmt.Sprintf("%v %s", d, content(d)))
			}
			if !slices.Equal(moves, tc.moves) || !slices.Equal(settings, tc.settings) {
				t.Errorf("got moves %q, settings %q\nwant %q, %q", moves, settings, tc.moves, tc.settings)
			}
			if len(found.Alone) != len(tc.alone) {
				t.Fatalf("left alone %q, want %q", found.Alone, tc.alone)
			}
			for i, word := range tc.alone {
				if !strings.Contains(found.Alone[i], word) {
					t.Errorf("left alone %q, want %q in it", found.Alone[i], word)
				}
			}
		})
	}
}

// oneTopic is a cluster of brokers 1 to 4 with topic t.
func oneTopic(t *testing.T, configs map[string]string, partitions []plan.PartitionView) plan.Cluster {
	t.Helper()
	b := plan.Builder{Head: plan.Cluster{MinISRDefault: 3}}
	for id := int32(1); id <= 4; id++ {
		b.Broker(plan.Broker{ID: id})
	}
	b.Topic(plan.Topic{Name: "t", Configs: configs})
	for i, p := range partitions {
		p.Number, p.ISR = int32(i), p.Replicas
		b.Partition(p)
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
