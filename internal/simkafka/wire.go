package simkafka

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// handler answers one kind of request.
type handler struct {
	answer    func(q *question, req kmsg.Request) kmsg.Response
	refuse    func(req kmsg.Request, code int16) kmsg.Response
	forwarded bool // needs the active controller
}

// on makes a handler of two functions with the types of their request.
func on[Q kmsg.Request, A kmsg.Response](answer func(*question, Q, A), refuse func(Q, A, int16)) handler {
	return handler{
		answer: func(q *question, req kmsg.Request) kmsg.Response {
			resp := req.ResponseKind()
			answer(q, req.(Q), resp.(A))
			return resp
		},
		refuse: func(req kmsg.Request, code int16) kmsg.Response {
			resp := req.ResponseKind()
			refuse(req.(Q), resp.(A), code)
			return resp
		},
	}
}

func (h handler) atController() handler {
	h.forwarded = true
	return h
}

// handlers are the requests that the model answers, by key: filled once, before
// any cluster is started.
var handlers map[int16]handler

func init() { // the table and ApiVersions, which lists it, need each other
	handlers = map[int16]handler{
		3:  on((*question).metadata, refuseMetadata),
		10: on((*question).findCoordinator, refuseFindCoordinator),
		15: on((*question).describeGroups, refuseDescribeGroups),
		18: on((*question).apiVersions, refuseAPIVersions),
		19: on((*question).createTopics, refuseCreateTopics).atController(),
		20: on((*question).deleteTopics, refuseDeleteTopics).atController(),
		32: on((*question).describeConfigs, refuseDescribeConfigs),
		34: on((*question).alterReplicaLogDirs, refuseAlterReplicaLogDirs),
		35: on((*question).describeLogDirs, refuseDescribeLogDirs),
		37: on((*question).createPartitions, refuseCreatePartitions).atController(),
		43: on((*question).electLeaders, refuseElectLeaders).atController(),
		44: on((*question).incrementalAlterConfigs, refuseIncrementalAlterConfigs).atController(),
		45: on((*question).alterPartitionAssignments, refuseAlterPartitionAssignments).atController(),
		46: on((*question).listPartitionReassignments, refuseListPartitionReassignments).atController(),
		55: on((*question).describeQuorum, refuseDescribeQuorum).atController(),
		60: on((*question).describeCluster, refuseDescribeCluster),
		64: on((*question).unregisterBroker, refuseUnregisterBroker).atController(),
		65: on((*question).describeTransactions, refuseDescribeTransactions),
		74: on((*question).listConfigResources, refuseListConfigResources),
		75: on((*question).describeTopicPartitions, refuseDescribeTopicPartitions),
	}
}

// allRights is what logins are told that they may do, one bit an operation: all,
// the answer of a cluster without an authorizer (AclEntry.supportedOperations).
var allRights = struct{ cluster, topic int32 }{
	cluster: 1<<5 | 1<<7 | 1<<8 | 1<<9 | 1<<10 | 1<<11 | 1<<12,
	topic:   1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8 | 1<<10 | 1<<11,
}

// notController is the refusal of a ZooKeeper broker that is not the
// controller; nil in KRaft, where brokers forward.
func (q *question) notController() *refusal {
	if !q.zk || q.controllerBroker() == q.at.id {
		return nil
	}
	return refuse(kerr.NotController, "")
}

// visible is a topic, and a refusal if the login may not describe it.
func (q *question) visible(name string) (*topic, *refusal) {
	t := q.topics[name]
	switch {
	case t == nil:
		return nil, refuse(kerr.UnknownTopicOrPartition, "")
	case t.hidden:
		return t, refuse(kerr.TopicAuthorizationFailed, "")
	}
	return t, nil
}

// offlineOf are the replicas whose broker or disk is not there.
func (m *model) offlineOf(p *partition, replicas []int32) []int32 {
	var off []int32
	for _, id := range replicas {
		if b := m.brokers[id]; b == nil || !b.listed() || !m.online(p, id) {
			off = append(off, id)
		}
	}
	return off
}

// internal is what Kafka itself calls internal (Topic.INTERNAL_TOPICS).
func internal(name string) bool { return slices.Contains(coordinatorTopics[:], name) }

func rackOf(b *broker) *string {
	if b.rack == "" {
		return nil
	}
	return &b.rack
}
