package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
	"drain/reassign"
)

// metadataOf asks for topics: nil is all of them, internal ones included, and
// none is the brokers alone. The request is never answered from kgo's cache and
// never creates a topic.
func metadataOf(topics []string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	req.AllowAutoTopicCreation = false
	if topics == nil {
		return req
	}
	req.Topics = make([]kmsg.MetadataRequestTopic, len(topics)) // empty, not nil: nil asks for all
	for i := range topics {
		req.Topics[i] = kmsg.NewMetadataRequestTopic()
		req.Topics[i].Topic = &topics[i]
	}
	return req
}

// metadata reads topics as the broker via sees them, in order of their numbers.
func (c *Client) metadata(ctx context.Context, via int32, topics []string) (*kmsg.MetadataResponse, error) {
	answer, err := c.askBroker(ctx, via, metadataOf(topics))
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	meta := answer.(*kmsg.MetadataResponse)
	if err := fault(meta.ErrorCode, nil); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	for _, topic := range meta.Topics {
		slices.SortFunc(topic.Partitions, func(a, b kmsg.MetadataResponseTopicPartition) int {
			return cmp.Compare(a.Partition, b.Partition)
		})
	}
	if err := c.learn(meta); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return meta, nil
}

// LiveBrokers lists the brokers in Metadata, sorted, uncached: those with a
// session, in controlled shutdown or not.
func (c *Client) LiveBrokers(ctx context.Context) ([]int32, error) { return c.BrokersSeenBy(ctx, -1) }

// BrokersSeenBy is LiveBrokers as one broker sees it; via -1 is any.
func (c *Client) BrokersSeenBy(ctx context.Context, via int32) ([]int32, error) {
	meta, err := c.metadata(ctx, via, []string{})
	if err != nil {
		return nil, fmt.Errorf("live brokers: %w", err)
	}
	ids := make([]int32, len(meta.Brokers))
	for i, b := range meta.Brokers {
		ids[i] = b.NodeID
	}
	slices.Sort(ids)
	return ids, nil
}

// Partitions reads the state of the partitions named, sorted. Ask it after
// InFlight, never before: an older list may still show replicas that left.
func (c *Client) Partitions(ctx context.Context, of []plan.TopicPartition) ([]reassign.PartitionState, error) {
	if len(of) == 0 {
		return nil, nil
	}
	names, _ := byTopic(of)
	meta, err := c.metadata(ctx, -1, names)
	if err != nil {
		return nil, err
	}
	topics := indexTopics(meta.Topics)
	states := make([]reassign.PartitionState, 0, len(of))
	for _, tp := range of {
		state, err := stateOf(topics, tp)
		if err != nil {
			return nil, fmt.Errorf("metadata of %v: %w", tp, err)
		}
		states = append(states, state)
	}
	slices.SortFunc(states, func(a, b reassign.PartitionState) int { return a.TopicPartition.Compare(b.TopicPartition) })
	return states, nil
}

// stateOf translates one partition. That it is not there is a state; that it
// may not be seen is an error.
func stateOf(topics topicIndex, tp plan.TopicPartition) (reassign.PartitionState, error) {
	gone := reassign.PartitionState{TopicPartition: tp, Gone: true, Leader: plan.NoLeader, LeaderEpoch: -1}
	topic := topics[tp.Topic]
	if topic == nil || topic.ErrorCode == kerr.UnknownTopicOrPartition.Code {
		return gone, nil
	}
	if err := fault(topic.ErrorCode, nil); err != nil {
		return gone, err
	}
	p := topics.partition(tp)
	if p == nil {
		return gone, nil
	}
	return reassign.PartitionState{
		TopicPartition: tp,
		TopicID:        topic.TopicID,
		Leader:         max(p.Leader, plan.NoLeader), // -2 while ZooKeeper deletes the topic
		LeaderEpoch:    p.LeaderEpoch,
		Replicas:       p.Replicas,
		ISR:            p.ISR,
		Offline:        p.OfflineReplicas,
	}, nil
}

// topicIndex finds topics of a Metadata answer by name.
type topicIndex map[string]*kmsg.MetadataResponseTopic

func indexTopics(topics []kmsg.MetadataResponseTopic) topicIndex {
	index := make(topicIndex, len(topics))
	for i := range topics {
		if t := &topics[i]; t.Topic != nil {
			index[*t.Topic] = t
		}
	}
	return index
}

// partition is nil if the index has none of that name and number.
func (index topicIndex) partition(tp plan.TopicPartition) *kmsg.MetadataResponseTopicPartition {
	topic := index[tp.Topic]
	if topic == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(topic.Partitions, tp.Partition, func(p kmsg.MetadataResponseTopicPartition, n int32) int {
		return cmp.Compare(p.Partition, n)
	})
	if !ok {
		return nil
	}
	return &topic.Partitions[i]
}

// byTopic groups partitions: the topics sorted, and the numbers of each.
func byTopic(of []plan.TopicPartition) ([]string, map[string][]int32) {
	numbers := map[string][]int32{}
	var names []string
	for _, tp := range of {
		if _, ok := numbers[tp.Topic]; !ok {
			names = append(names, tp.Topic)
		}
		numbers[tp.Topic] = append(numbers[tp.Topic], tp.Partition)
	}
	slices.Sort(names)
	return names, numbers
}
