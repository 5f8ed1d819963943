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
		var from int32
		if req.Cursor != nil && req.Cursor.Topic == name {
			from = req.Cursor.Partition
		}
		out, next := q.describedTopic(name, from, left)
		if len(out.Partitions) > 0 || out.ErrorCode != 0 {
			resp.Topics = append(resp.Topics, out)
		}
		if left -= len(out.Partitions); next != nil {
			resp.NextCursor = next
			return
		}
	}
}

// describedTopic is a topic from a partition on, and where to go on if its
// partitions are more than fit.
func (q *question) describedTopic(name string, from int32, most int) (kmsg.DescribeTopicPartitionsResponseTopic, *kmsg.DescribeTopicPartitionsResponseNextCursor) {
	out := kmsg.NewDescribeTopicPartitionsResponseTopic()
	out.Topic = &name
	t, no := q.visible(name)
	if no != nil {
		out.ErrorCode = no.code
		return out, nil
	}
	out.TopicID, out.IsInternal = t.id, internal(name)
	for _, p := range t.partitions {
		if p.number < from {
			continue
		}
		if len(out.Partitions) == most {
			next := kmsg.NewDescribeTopicPartitionsResponseNextCursor()
			next.Topic, next.Partition = name, p.number
			return out, &next
		}
		out.Partitions = append(out.Partitions, q.describedPartition(p))
	}
	return out, nil
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
