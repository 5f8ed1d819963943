package simkafka

import (
	"unicode/utf16"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// findCoordinator names the leader of the partition of the internal topic that
// the key belongs to.
func (q *question) findCoordinator(req *kmsg.FindCoordinatorRequest, resp *kmsg.FindCoordinatorResponse) {
	if req.Version >= 4 {
		for _, key := range req.CoordinatorKeys {
			resp.Coordinators = append(resp.Coordinators, q.coordinator(req.CoordinatorType, key))
		}
		return
	}
	c := q.coordinator(req.CoordinatorType, req.CoordinatorKey)
	resp.ErrorCode, resp.NodeID, resp.Host, resp.Port = c.ErrorCode, c.NodeID, c.Host, c.Port
}

func (q *question) coordinator(kind int8, key string) kmsg.FindCoordinatorResponseCoordinator {
	c := kmsg.NewFindCoordinatorResponseCoordinator()
	c.Key, c.NodeID, c.Port = key, nobody, nobody
	if kind < 0 || int(kind) >= len(coordinatorTopics) {
		c.ErrorCode = kerr.InvalidRequest.Code
		return c
	}
	leader := q.coordinatorLeader(coordinatorTopics[kind], key)
	if leader == nil {
		c.ErrorCode = kerr.CoordinatorNotAvailable.Code
		return c
	}
	c.NodeID, c.Host, c.Port = leader.id, leader.host, leader.port
	return c
}

// coordinatorTopics by coordinator type: group, transaction, share group.
var coordinatorTopics = [...]string{"__consumer_offsets", "__transaction_state", "__share_group_state"}

func (q *question) coordinatorLeader(topic, key string) *broker {
	t := q.topics[topic]
	if t == nil || len(t.partitions) == 0 {
		return nil
	}
	p := t.partitions[int(javaHash(key))%len(t.partitions)]
	leader := q.leaderSeen(p)
	if leader == plan.NoLeader {
		return nil
	}
	return q.brokers[leader]
}

// javaHash is String.hashCode without its sign (Utils.abs).
func javaHash(s string) int32 {
	var h int32
	for _, unit := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(unit)
	}
	return h & 0x7fffffff
}

func refuseFindCoordinator(req *kmsg.FindCoordinatorRequest, resp *kmsg.FindCoordinatorResponse, code int16) {
	resp.ErrorCode, resp.NodeID = code, nobody
	for _, key := range req.CoordinatorKeys {
		c := kmsg.NewFindCoordinatorResponseCoordinator()
		c.Key, c.NodeID, c.ErrorCode = key, nobody, code
		resp.Coordinators = append(resp.Coordinators, c)
	}
}
