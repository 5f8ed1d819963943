package simkafka

import (
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func (q *question) createTopics(req *kmsg.CreateTopicsRequest, resp *kmsg.CreateTopicsResponse) {
	for _, asked := range req.Topics {
		out := kmsg.NewCreateTopicsResponseTopic()
		out.Topic = asked.Topic
		no := q.create(asked, req.ValidateOnly)
		out.ErrorCode, out.ErrorMessage = no.parts()
		if t := q.topics[asked.Topic]; no == nil && t != nil {
			out.TopicID = t.id
			out.NumPartitions, out.ReplicationFactor = int32(len(t.partitions)), int16(len(t.partitions[0].Replicas))
		}
		resp.Topics = append(resp.Topics, out)
	}
}

func (q *question) create(asked kmsg.CreateTopicsRequestTopic, validateOnly bool) *refusal {
	s := Topic{Name: asked.Topic, Configs: map[string]string{}}
	for _, c := range asked.Configs {
		if _, ok := topicKeys[c.Name]; !ok || c.Value == nil {
			return refuse(kerr.InvalidConfig, "Unknown topic config name: %s", c.Name)
		}
		s.Configs[c.Name] = *c.Value
	}
	for _, a := range asked.ReplicaAssignment {
		s.Partitions = append(s.Partitions, Partition{Number: a.Partition, Replicas: a.Replicas})
	}
	slices.SortFunc(s.Partitions, func(a, b Partition) int { return int(a.Number - b.Number) })
	if len(s.Partitions) == 0 {
		lists, no := q.place(max(1, int(asked.NumPartitions)), q.askedFactor(asked.ReplicationFactor))
		if no != nil {
			return no
		}
		for _, list := range lists {
			s.Partitions = append(s.Partitions, Partition{Replicas: list})
		}
	}
	if validateOnly {
		return nil
	}
	return q.createTopic(s)
}

func (q *question) askedFactor(factor int16) int {
	if factor >= 0 {
		return int(factor)
	}
	if n, err := strconv.Atoi(q.static["default.replication.factor"]); err == nil {
		return n
	}
	return 1
}

func refuseCreateTopics(req *kmsg.CreateTopicsRequest, resp *kmsg.CreateTopicsResponse, code int16) {
	for _, asked := range req.Topics {
		out := kmsg.NewCreateTopicsResponseTopic()
		out.Topic, out.ErrorCode = asked.Topic, code
		resp.Topics = append(resp.Topics, out)
	}
}

func (q *question) deleteTopics(req *kmsg.DeleteTopicsRequest, resp *kmsg.DeleteTopicsResponse) {
	for _, asked := range namedTopics(req) {
		out := kmsg.NewDeleteTopicsResponseTopic()
		out.Topic, out.TopicID = asked.Topic, asked.TopicID
		if t := q.doomed(asked); t != nil {
			out.Topic, out.TopicID = &t.name, t.id
			q.deleteTopic(t)
		} else {
			out.ErrorCode = kerr.UnknownTopicOrPartition.Code
		}
		resp.Topics = append(resp.Topics, out)
	}
}

func (q *question) doomed(asked kmsg.DeleteTopicsRequestTopic) *topic {
	if asked.Topic != nil {
		return q.topics[*asked.Topic]
	}
	for _, t := range q.topics {
		if t.id == asked.TopicID {
			return t
		}
	}
	return nil
}

// namedTopics is the request in its newer form.
func namedTopics(req *kmsg.DeleteTopicsRequest) []kmsg.DeleteTopicsRequestTopic {
	all := req.Topics
	for _, name := range req.TopicNames {
		t := kmsg.NewDeleteTopicsRequestTopic()
		t.Topic = &name
		all = append(all, t)
	}
	return all
}

func refuseDeleteTopics(req *kmsg.DeleteTopicsRequest, resp *kmsg.DeleteTopicsResponse, code int16) {
	for _, asked := range namedTopics(req) {
		out := kmsg.NewDeleteTopicsResponseTopic()
		out.Topic, out.TopicID, out.ErrorCode = asked.Topic, asked.TopicID, code
		resp.Topics = append(resp.Topics, out)
	}
}

func (q *question) createPartitions(req *kmsg.CreatePartitionsRequest, resp *kmsg.CreatePartitionsResponse) {
	for _, asked := range req.Topics {
		out := kmsg.NewCreatePartitionsResponseTopic()
		out.Topic = asked.Topic
		t, no := q.visible(asked.Topic)
		if no == nil && !req.ValidateOnly {
			var lists [][]int32
			for _, a := range asked.Assignment {
				lists = append(lists, a.Replicas)
			}
			no = q.addPartitions(t, int(asked.Count), lists)
		}
		out.ErrorCode, out.ErrorMessage = no.parts()
		resp.Topics = append(resp.Topics, out)
	}
}

func refuseCreatePartitions(req *kmsg.CreatePartitionsRequest, resp *kmsg.CreatePartitionsResponse, code int16) {
	for _, asked := range req.Topics {
		out := kmsg.NewCreatePartitionsResponseTopic()
		out.Topic, out.ErrorCode = asked.Topic, code
		resp.Topics = append(resp.Topics, out)
	}
}
