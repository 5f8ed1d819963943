package simkafka

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// mostRecords is what a KRaft controller writes for one request
// (QuorumController.MAX_RECORDS_PER_USER_OP).
const mostRecords = 10_000

func (q *question) alterPartitionAssignments(req *kmsg.AlterPartitionAssignmentsRequest, resp *kmsg.AlterPartitionAssignmentsResponse) {
	if no := q.notController(); no != nil {
		resp.ErrorCode, resp.ErrorMessage = no.parts()
		return
	}
	mayChangeFactor := req.Version < 1 || req.AllowReplicationFactorChange
	resp.AllowReplicationFactorChange = req.AllowReplicationFactorChange
	records := 0
	for _, t := range req.Topics {
		out := kmsg.NewAlterPartitionAssignmentsResponseTopic()
		out.Topic = t.Topic
		for _, asked := range t.Partitions {
			at := kmsg.NewAlterPartitionAssignmentsResponseTopicPartition()
			at.Partition = asked.Partition
			tp := plan.TopicPartition{Topic: t.Topic, Partition: asked.Partition}
			at.ErrorCode, at.ErrorMessage = q.alter(tp, asked.Replicas, mayChangeFactor, &records).parts()
			out.Partitions = append(out.Partitions, at)
		}
		resp.Topics = append(resp.Topics, out)
	}
}

// alter starts a move, or cancels one (nil list). The partitions after the
// 10,000th change of a request fail with no word of why (BoundedList).
func (q *question) alter(tp plan.TopicPartition, target []int32, mayChangeFactor bool, records *int) *refusal {
	if no := q.spoilt(tp); no != nil {
		return no
	}
	p := q.partition(tp.Topic, tp.Partition)
	switch {
	case p == nil:
		return refuse(kerr.UnknownTopicOrPartition, "")
	case !q.zk && *records >= mostRecords:
		return refuse(kerr.UnknownServerError, "")
	}
	before := p.Partition
	var no *refusal
	if target == nil {
		no = q.control.cancel(p)
	} else if !mayChangeFactor && len(target) != p.factor() {
		no = refuse(kerr.InvalidReplicationFactor, "The replication factor is changed from %d to %d", p.factor(), len(target))
	} else {
		no = q.control.reassign(p, target)
	}
	if !slices.Equal(before.Replicas, p.Replicas) || !slices.Equal(before.Removing, p.Removing) {
		*records++
	}
	return no
}

// factor is the replication factor once what is in flight has ended (KIP-860).
func (p *partition) factor() int {
	return len(without(slices.Concat(p.Replicas, without(p.Adding, p.Replicas...)), p.Removing...))
}

func refuseAlterPartitionAssignments(_ *kmsg.AlterPartitionAssignmentsRequest, resp *kmsg.AlterPartitionAssignmentsResponse, code int16) {
	resp.ErrorCode = code
}

// listPartitionReassignments lists all moves for null, and none for an empty
// list. No topic right is asked for: hidden topics are listed.
func (q *question) listPartitionReassignments(req *kmsg.ListPartitionReassignmentsRequest, resp *kmsg.ListPartitionReassignmentsResponse) {
	if no := q.notController(); no != nil {
		resp.ErrorCode, resp.ErrorMessage = no.parts()
		return
	}
	asked := map[string][]int32{}
	for _, t := range req.Topics {
		asked[t.Topic] = append(asked[t.Topic], t.Partitions...)
	}
	for _, t := range q.sortedTopics() {
		out := kmsg.NewListPartitionReassignmentsResponseTopic()
		out.Topic = t.name
		for _, p := range t.partitions {
			if p.inFlight() && (req.Topics == nil || slices.Contains(asked[t.name], p.number)) {
				at := kmsg.NewListPartitionReassignmentsResponseTopicPartition()
				at.Partition, at.Replicas = p.number, p.Replicas
				at.AddingReplicas, at.RemovingReplicas = p.Adding, p.Removing
				out.Partitions = append(out.Partitions, at)
			}
		}
		if len(out.Partitions) > 0 {
			resp.Topics = append(resp.Topics, out)
		}
	}
}

func refuseListPartitionReassignments(_ *kmsg.ListPartitionReassignmentsRequest, resp *kmsg.ListPartitionReassignmentsResponse, code int16) {
	resp.ErrorCode = code
}
