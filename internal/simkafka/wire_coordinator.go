package simkafka

import (
	"unicode/utf16"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
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
	p := q.coordinatorPartition(topic, key)
	if p == nil {
		return nil
	}
	return q.brokers[q.listedOnly(p.Leader)]
}

// coordinatorPartition is where the key's coordinator keeps its state, nil if
// the internal topic is not there.
func (q *question) coordinatorPartition(topic, key string) *partition {
	t := q.topics[topic]
	if t == nil || len(t.partitions) == 0 {
		return nil
	}
	return t.partitions[int(javaHash(key))%len(t.partitions)]
}

// coordinates says whether the asked broker can answer for a key: it must lead
// the partition, and have loaded it since.
func (q *question) coordinates(topic, key string) *refusal {
	p := q.coordinatorPartition(topic, key)
	switch {
	case p == nil:
		return refuse(kerr.CoordinatorNotAvailable, "")
	case p.Leader != q.at.id:
		return refuse(kerr.NotCoordinator, "")
	case q.now < p.since+q.timing.Load:
		return refuse(kerr.CoordinatorLoadInProgress, "")
	}
	return nil
}

// describeGroups knows no group: each is dead, as one that nobody ever joined.
func (q *question) describeGroups(req *kmsg.DescribeGroupsRequest, resp *kmsg.DescribeGroupsResponse) {
	for _, group := range req.Groups {
		g := kmsg.NewDescribeGroupsResponseGroup()
		g.Group = group
		if g.ErrorCode, g.ErrorMessage = q.coordinates(coordinatorTopics[0], group).parts(); g.ErrorCode == 0 {
			g.State = "Dead"
		}
		resp.Groups = append(resp.Groups, g)
	}
}

func refuseDescribeGroups(req *kmsg.DescribeGroupsRequest, resp *kmsg.DescribeGroupsResponse, code int16) {
	for _, group := range req.Groups {
		g := kmsg.NewDescribeGroupsResponseGroup()
		g.Group, g.ErrorCode = group, code
		resp.Groups = append(resp.Groups, g)
	}
}

// describeTransactions knows no transaction either.
func (q *question) describeTransactions(req *kmsg.DescribeTransactionsRequest, resp *kmsg.DescribeTransactionsResponse) {
	for _, id := range req.TransactionalIDs {
		s := kmsg.NewDescribeTransactionsResponseTransactionState()
		s.TransactionalID, s.ErrorCode = id, kerr.TransactionalIDNotFound.Code
		if no := q.coordinates(coordinatorTopics[1], id); no != nil {
			s.ErrorCode = no.code
		}
		resp.TransactionStates = append(resp.TransactionStates, s)
	}
}

func refuseDescribeTransactions(req *kmsg.DescribeTransactionsRequest, resp *kmsg.DescribeTransactionsResponse, code int16) {
	for _, id := range req.TransactionalIDs {
		s := kmsg.NewDescribeTransactionsResponseTransactionState()
		s.TransactionalID, s.ErrorCode = id, code
		resp.TransactionStates = append(resp.TransactionStates, s)
	}
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
