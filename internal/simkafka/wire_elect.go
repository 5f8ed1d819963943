package simkafka

import (
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// electLeaders elects for the partitions named; null means every partition,
// and then those that need no election are left out of the answer.
func (q *question) electLeaders(req *kmsg.ElectLeadersRequest, resp *kmsg.ElectLeadersResponse) {
	if no := q.notController(); no != nil {
		resp.ErrorCode = no.code
		return
	}
	unclean := req.Version >= 1 && req.ElectionType == 1
	asked := req.Topics
	if req.Topics == nil {
		asked = q.everyPartition()
	}
	for _, t := range asked {
		out := kmsg.NewElectLeadersResponseTopic()
		out.Topic = t.Topic
		for _, number := range t.Partitions {
			no := q.elect(plan.TopicPartition{Topic: t.Topic, Partition: number}, unclean)
			if req.Topics == nil && no != nil && no.code == kerr.ElectionNotNeeded.Code {
				continue
			}
			at := kmsg.NewElectLeadersResponseTopicPartition()
			at.Partition = number
			at.ErrorCode, at.ErrorMessage = no.parts()
			out.Partitions = append(out.Partitions, at)
		}
		if len(out.Partitions) > 0 {
			resp.Topics = append(resp.Topics, out)
		}
	}
}

func (q *question) elect(tp plan.TopicPartition, unclean bool) *refusal {
	if no := q.spoilt(tp); no != nil {
		return no
	}
	p := q.partition(tp.Topic, tp.Partition)
	if p == nil {
		return refuse(kerr.UnknownTopicOrPartition, "")
	}
	return q.control.elect(p, unclean)
}

func (q *question) everyPartition() []kmsg.ElectLeadersRequestTopic {
	var all []kmsg.ElectLeadersRequestTopic
	for _, t := range q.sortedTopics() {
		asked := kmsg.NewElectLeadersRequestTopic()
		asked.Topic = t.name
		for _, p := range t.partitions {
			asked.Partitions = append(asked.Partitions, p.number)
		}
		all = append(all, asked)
	}
	return all
}

func refuseElectLeaders(_ *kmsg.ElectLeadersRequest, resp *kmsg.ElectLeadersResponse, code int16) {
	resp.ErrorCode = code
}
