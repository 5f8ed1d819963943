package simkafka

import (
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

func (q *question) metadata(req *kmsg.MetadataRequest, resp *kmsg.MetadataResponse) {
	for _, b := range q.sortedBrokers() {
		if b.listed() {
			at := kmsg.NewMetadataResponseBroker()
			at.NodeID, at.Host, at.Port, at.Rack = b.id, b.host, b.port, rackOf(b)
			resp.Brokers = append(resp.Brokers, at)
		}
	}
	resp.ClusterID, resp.ControllerID = &q.id, q.controllerID()
	if req.IncludeClusterAuthorizedOperations {
		resp.AuthorizedOperations = allRights.cluster
	}
	if req.Topics == nil || req.Version == 0 && len(req.Topics) == 0 {
		for _, t := range q.sortedTopics() {
			if !t.hidden {
				resp.Topics = append(resp.Topics, q.topicMetadata(t, req))
			}
		}
	}
	for _, asked := range req.Topics {
		resp.Topics = append(resp.Topics, q.askedTopic(asked, req))
	}
}

// askedTopic is a topic asked for by name, or by id.
func (q *question) askedTopic(asked kmsg.MetadataRequestTopic, req *kmsg.MetadataRequest) kmsg.MetadataResponseTopic {
	missing := kmsg.NewMetadataResponseTopic()
	missing.Topic, missing.TopicID = asked.Topic, asked.TopicID
	if asked.Topic == nil {
		for _, t := range q.topics {
			if t.id == asked.TopicID && !t.hidden {
				return q.topicMetadata(t, req)
			}
		}
		missing.ErrorCode = kerr.UnknownTopicID.Code
		return missing
	}
	t, no := q.visible(*asked.Topic)
	if no != nil {
		missing.ErrorCode = no.code
		if t == nil && req.IncludeTopicAuthorizedOperations {
			missing.AuthorizedOperations = allRights.topic
		}
		return missing
	}
	return q.topicMetadata(t, req)
}

func (q *question) topicMetadata(t *topic, req *kmsg.MetadataRequest) kmsg.MetadataResponseTopic {
	out := kmsg.NewMetadataResponseTopic()
	out.Topic, out.TopicID, out.IsInternal = &t.name, t.id, internal(t.name)
	if req.IncludeTopicAuthorizedOperations {
		out.AuthorizedOperations = allRights.topic
	}
	for _, p := range t.partitions {
		at := kmsg.NewMetadataResponseTopicPartition()
		shown := q.shown(p)
		at.Partition, at.Leader, at.LeaderEpoch = p.number, q.listedOnly(shown.Leader), shown.epoch
		at.Replicas, at.ISR, at.OfflineReplicas = shown.Replicas, shown.ISR, q.offlineOf(p, shown.Replicas)
		if at.Leader == plan.NoLeader {
			at.ErrorCode = kerr.LeaderNotAvailable.Code
		}
		out.Partitions = append(out.Partitions, at)
	}
	return out
}

// listedOnly is a leader as clients are told: none whose broker has no listener
// any more.
func (m *model) listedOnly(leader int32) int32 {
	if b := m.brokers[leader]; b == nil || !b.listed() {
		return plan.NoLeader
	}
	return leader
}

func refuseMetadata(req *kmsg.MetadataRequest, resp *kmsg.MetadataResponse, code int16) {
	resp.ErrorCode = code // read from v13 on; before, the topics carry it
	for _, asked := range req.Topics {
		t := kmsg.NewMetadataResponseTopic()
		t.Topic, t.TopicID, t.ErrorCode = asked.Topic, asked.TopicID, code
		resp.Topics = append(resp.Topics, t)
	}
}
