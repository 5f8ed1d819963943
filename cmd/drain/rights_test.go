package main

import (
	"strings"
	"testing"

	"drain/internal/kafka"
	"drain/plan"
)

func TestMissingRightsAreFoundBeforeTheFirstChange(t *testing.T) {
	t.Parallel()
	var b plan.Builder
	b.Topic(plan.Topic{Name: "elsewhere"})
	b.Partition(plan.PartitionView{Leader: 2, Replicas: []int32{2}, ISR: []int32{2}})
	b.Topic(plan.Topic{Name: "log"})
	b.Partition(plan.PartitionView{Leader: 1, Replicas: []int32{1}, ISR: []int32{1}})
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	all := kafka.Alter | kafka.AlterConfigs | kafka.Describe
	topics := func(log kafka.Operations) []kafka.TopicRights {
		return []kafka.TopicRights{{Topic: "elsewhere", Operations: kafka.Describe}, {Topic: "log", Operations: log}}
	}
	for _, tc := range []struct {
		name   string
		rights kafka.Rights
		want   []string
	}{
		{"everything", kafka.Rights{Cluster: all, Topics: topics(all)}, nil},
		{"nobody tells", kafka.Rights{Topics: topics(0)}, nil},
		{"no change of the cluster", kafka.Rights{Cluster: kafka.Describe, Topics: topics(all)}, []string{"ALTER on the cluster", "ALTER_CONFIGS on the cluster"}},
		{"no settings of a topic that moves", kafka.Rights{Cluster: all, Topics: topics(kafka.Describe)}, []string{"ALTER_CONFIGS on 1 topic (log)"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := missingRights(tc.rights, &c, []int32{1})
			if len(got) != len(tc.want) {
				t.Fatalf("got %v, want %q", got, tc.want)
			}
			for i, f := range got {
				if f.Level != plan.Block || !strings.Contains(f.Message, tc.want[i]) {
					t.Errorf("got %v, want a block that says %q", f, tc.want[i])
				}
			}
		})
	}
}
