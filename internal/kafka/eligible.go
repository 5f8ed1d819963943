package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// eligible is what Metadata does not say of a partition (KIP-966).
type eligible struct{ replicas, lastKnown []int32 }

// readEligible reads the eligible leader replicas of the topics that can have
// any. Each partition read takes its whole state from that answer, since one
// from Metadata and one from here may differ in time.
func (p *picture) readEligible(ctx context.Context, topics []string) error {
	on := finalized(p.apis, "eligible.leader.replicas.version") >= 1
	if !on || maxVersion(p.apis, kmsg.DescribeTopicPartitions) < 0 {
		return nil
	}
	if p.eligible == nil {
		p.eligible = map[plan.TopicPartition]eligible{}
	}
	short := slices.DeleteFunc(slices.Clone(topics), func(name string) bool { return !p.short(name) })
	if len(short) == 0 {
		return nil // an empty list asks for all
	}
	return p.client.describeTopics(ctx, p.via, short, func(topic string, part kmsg.DescribeTopicPartitionsResponseTopicPartition) {
		tp := plan.TopicPartition{Topic: topic, Partition: part.Partition}
		known := p.topics.partition(tp)
		if known == nil {
			return // added since; a partition of its own is in nobody's way
		}
		known.Leader, known.LeaderEpoch = part.LeaderID, part.LeaderEpoch
		known.Replicas, known.ISR, known.OfflineReplicas = part.Replicas, part.ISR, part.OfflineReplicas
		p.eligible[tp] = eligible{part.EligibleLeaderReplicas, part.LastKnownELR}
	})
}

// short says that a partition of the topic is not fully in sync. Only then has
// it eligible replicas: they are dropped once the ISR reaches its minimum, which
// never exceeds the number of replicas (PartitionChangeBuilder).
func (p *picture) short(name string) bool {
	topic := p.topics[name]
	if topic == nil {
		return false
	}
	return slices.ContainsFunc(topic.Partitions, func(part kmsg.MetadataResponseTopicPartition) bool {
		return part.Leader < 0 || len(part.ISR) < len(part.Replicas)
	})
}

// describeTopics reads topics page by page. A topic that is not there (any
// more) is left out.
func (c *Client) describeTopics(ctx context.Context, via int32, topics []string, yield func(string, kmsg.DescribeTopicPartitionsResponseTopicPartition)) error {
	const page = 2000 // max.request.partition.size.limit
	slices.SortFunc(topics, cmp.Compare[string])
	req := kmsg.NewPtrDescribeTopicPartitionsRequest()
	req.ResponsePartitionLimit = page
	for _, name := range topics {
		topic := kmsg.NewDescribeTopicPartitionsRequestTopic()
		topic.Topic = name
		req.Topics = append(req.Topics, topic)
	}
	for {
		answer, err := c.askBroker(ctx, via, req)
		if err != nil {
			return fmt.Errorf("describe topic partitions: %w", err)
		}
		resp := answer.(*kmsg.DescribeTopicPartitionsResponse)
		for _, topic := range resp.Topics {
			for _, part := range topic.Partitions {
				yield(words(topic.Topic), part)
			}
		}
		next := resp.NextCursor
		if next == nil {
			return nil
		}
		cursor := kmsg.NewDescribeTopicPartitionsRequestCursor()
		cursor.Topic, cursor.Partition = next.Topic, next.Partition
		req.Cursor = &cursor
	}
}
