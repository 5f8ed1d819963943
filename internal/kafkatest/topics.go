package kafkatest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// CreateTopic makes a topic with the given replicas of each partition, preferred
// leader first, and returns when every partition has a leader and all its
// replicas in sync. Configs may be nil.
func (c *Cluster) CreateTopic(name string, assignments map[int32][]int32, configs map[string]string) {
	c.t.Helper()
	ctx, cancel := c.context()
	defer cancel()
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = 30_000
	req.Topics = []kmsg.CreateTopicsRequestTopic{newTopic(name, assignments, configs)}
	resp, err := req.RequestWith(ctx, c.judge)
	if err != nil {
		c.t.Fatalf("create topic %s: %v", name, err)
	}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			c.t.Fatalf("create topic %s: %v (%s)", name, err, text(t.ErrorMessage))
		}
	}
	if _, err := c.WaitState(ctx, "topic "+name, topicInSync(name, assignments)); err != nil {
		c.t.Fatalf("%v", err)
	}
}

// text is what a broker said beside an error code, if anything.
func text(message *string) string {
	if message == nil {
		return "no message"
	}
	return *message
}

func newTopic(name string, assignments map[int32][]int32, configs map[string]string) kmsg.CreateTopicsRequestTopic {
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, -1, -1
	for _, number := range slices.Sorted(maps.Keys(assignments)) {
		a := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
		a.Partition, a.Replicas = number, assignments[number]
		topic.ReplicaAssignment = append(topic.ReplicaAssignment, a)
	}
	for _, key := range slices.Sorted(maps.Keys(configs)) {
		config := kmsg.NewCreateTopicsRequestTopicConfig()
		config.Name, config.Value = key, kmsg.StringPtr(configs[key])
		topic.Configs = append(topic.Configs, config)
	}
	return topic
}

func topicInSync(name string, assignments map[int32][]int32) func(State) error {
	return func(s State) error {
		for number, replicas := range assignments {
			p, ok := s.Topics[name].Partitions[number]
			if !ok || p.Leader < 0 || !slices.Equal(p.ISR, sorted(replicas)) {
				return fmt.Errorf("%s-%d is not in sync: %+v", name, number, p)
			}
		}
		return nil
	}
}
