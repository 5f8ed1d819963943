package simkafka

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// mostPartitions is max.request.partition.size.limit.
const mostPartitions = 2000

// describeTopicPartitions is Metadata with the ELR, a page at a time: topics by
// name, and a cursor to where the next page begins (KIP-966).
func (q *question) describeTopicPartitions(req *kmsg.DescribeTopicPartitionsRequest, resp *kmsg.DescribeTopicPartitionsResponse) {
	left := mostPartitions
	if n := int(req.ResponsePartitionLimit); n > 0 {
		left = min(left, n)
	}
	for _, name := range q.describedTopics(req) {
		out := kmsg.NewDescribeTopicPartitionsResponseTopic()
		out.Topic = &name
		t, no := q.visible(name)
		if no != nil {
			out.ErrorCode = no.code
			resp.Topics = append(resp.Topics, out)
			continue
		}
		if left == 0 {
			resp.NextCursor = cursorAt(name, t.partitions[0].number)
			return
		}
		out.TopicID, out.IsInternal = t.id, internal(name)
		for _, p := range t.partitions {
			if c := req.Cursor; c != nil && c.Topic == name && p.number < c.Partition {
				continue
			}
			if left == 0 {
				resp.NextCursor = cursorAt(name, p.number)
				break
			}
			out.Partitions = append(out.Partitions, q.describedPartition(p))
			left--
		}
		resp.Topics = append(resp.Topics, out)
		if resp.NextCursor != nil {
			return
		}
	}
}

// describedTopics are the names to describe, sorted, from the cursor on. With
// no names it is every topic that may be seen.
func (q *question) describedTopics(req *kmsg.DescribeTopicPartitionsRequest) []string {
	var names []string
	for _, t := range req.Topics {
		names = append(names, t.Topic)
	}
	if len(req.Topics) == 0 {
		for _, t := range q.sortedTopics() {
			if !t.hidden {
				names = append(names, t.name)
			}
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return req.Cursor != nil && name < req.Cursor.Topic
	})
}

func cursorAt(topic string, partition int32) *kmsg.DescribeTopicPartitionsResponseNextCursor {
	c := kmsg.NewDescribeTopicPartitionsResponseNextCursor()
	c.Topic, c.Partition = topic, partition
	return &c
}

// describedPartition has no error for want of a leader, other than Metadata.
func (q *question) describedPartition(p *partition) kmsg.DescribeTopicPartitionsResponseTopicPartition {
	at := kmsg.NewDescribeTopicPartitionsResponseTopicPartition()
	shown := q.shown(p)
	at.Partition, at.LeaderID, at.LeaderEpoch = p.number, q.listedOnly(shown.Leader), shown.epoch
	at.Replicas, at.ISR, at.OfflineReplicas = shown.Replicas, shown.ISR, q.offlineOf(p, shown.Replicas)
	at.EligibleLeaderReplicas, at.LastKnownELR = shown.ELR, shown.LastKnown
	return at
}

func refuseDescribeTopicPartitions(req *kmsg.DescribeTopicPartitionsRequest, resp *kmsg.DescribeTopicPartitionsResponse, code int16) {
	for _, asked := range req.Topics {
		t := kmsg.NewDescribeTopicPartitionsResponseTopic()
		t.Topic, t.ErrorCode = &asked.Topic, code
		resp.Topics = append(resp.Topics, t)
	}
}
