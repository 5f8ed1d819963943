package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// The kinds of coordinator (FindCoordinator key types).
const (
	groupCoordinator = 0
	txnCoordinator   = 1
)

// Loading returns those of the partitions, all of internal topics, whose
// coordinator does not answer yet, sorted. It asks for a group or transactional
// ID of no one whose hash falls on the partition: a coordinator that still
// loads says so before it looks. Where this login may not ask, for other topics,
// and beyond a gap in the partition numbers, where no name falls, a partition
// with a leader counts as loaded; so does one that is gone.
func (c *Client) Loading(ctx context.Context, of []plan.TopicPartition) ([]plan.TopicPartition, error) {
	if len(of) == 0 {
		return nil, nil
	}
	names, _ := byTopic(of)
	meta, err := c.metadata(ctx, anyBroker, names)
	if err != nil {
		return nil, err
	}
	topics := indexTopics(meta.Topics)
	var waiting []plan.TopicPartition
	for _, tp := range slices.SortedFunc(slices.Values(of), plan.TopicPartition.Compare) {
		part := topics.partition(tp)
		if part == nil {
			continue
		}
		loaded := false
		if part.Leader >= 0 {
			loaded, err = c.loaded(ctx, tp, part.Leader, int32(len(topics[tp.Topic].Partitions)))
		}
		if err != nil {
			return nil, fmt.Errorf("coordinator of %v: %w", tp, err)
		}
		if !loaded {
			waiting = append(waiting, tp)
		}
	}
	return waiting, nil
}

// loaded asks the leader of one of a topic's partitions.
func (c *Client) loaded(ctx context.Context, tp plan.TopicPartition, leader, partitions int32) (bool, error) {
	key, ok := keyFor(tp.Partition, partitions)
	if !ok {
		return true, nil
	}
	var code int16
	var err error
	switch tp.Topic {
	case "__consumer_offsets":
		code, err = c.groupCode(ctx, leader, key)
	case "__transaction_state":
		code, err = c.txnCode(ctx, leader, key)
	}
	return !loading(code), err
}

func loading(code int16) bool {
	switch code {
	case kerr.CoordinatorLoadInProgress.Code, kerr.CoordinatorNotAvailable.Code, kerr.NotCoordinator.Code:
		return true
	}
	return false
}

func (c *Client) groupCode(ctx context.Context, leader int32, group string) (int16, error) {
	if code, err := c.findCoordinator(ctx, groupCoordinator, group); code != 0 || err != nil {
		return code, err
	}
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = []string{group}
	answer, err := c.askBroker(ctx, leader, req)
	if err != nil {
		return 0, err
	}
	groups := answer.(*kmsg.DescribeGroupsResponse).Groups
	if len(groups) != 1 {
		return 0, errors.New("describe groups: the answer has no group")
	}
	return groups[0].ErrorCode, nil
}

func (c *Client) txnCode(ctx context.Context, leader int32, id string) (int16, error) {
	if code, err := c.findCoordinator(ctx, txnCoordinator, id); code != 0 || err != nil {
		return code, err
	}
	apis, err := c.versions(ctx, leader)
	if err != nil || maxVersion(apis, kmsg.DescribeTransactions) < 0 {
		return 0, err // before 3.0 it can not be asked
	}
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{id}
	answer, err := c.askBroker(ctx, leader, req)
	if err != nil {
		return 0, err
	}
	states := answer.(*kmsg.DescribeTransactionsResponse).TransactionStates
	if len(states) != 1 {
		return 0, errors.New("describe transactions: the answer has no transaction")
	}
	return states[0].ErrorCode, nil
}

// findCoordinator asks which broker coordinates; the code says why none does.
func (c *Client) findCoordinator(ctx context.Context, kind int8, key string) (int16, error) {
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorType = kind
	req.CoordinatorKey = key
	req.CoordinatorKeys = []string{key} // from v4 on (KIP-699)
	answer, err := c.ask(ctx, req)
	if err != nil {
		return 0, err
	}
	resp := answer.(*kmsg.FindCoordinatorResponse)
	if len(resp.Coordinators) > 0 {
		return resp.Coordinators[0].ErrorCode, nil
	}
	return resp.ErrorCode, nil
}

// keyFor finds a name whose hash falls on a partition, as Kafka computes it
// (GroupMetadataManager.partitionFor, TransactionStateManager.partitionFor). None
// does if the number is not below that of the partitions.
func keyFor(partition, partitions int32) (key string, ok bool) {
	if partition >= partitions {
		return "", false
	}
	for i := 0; ; i++ {
		key = "drain-probe-" + strconv.Itoa(i)
		if partitionOf(key, partitions) == partition {
			return key, true
		}
	}
}

// partitionOf is Utils.abs(key.hashCode) % partitions in Kafka.
func partitionOf(key string, partitions int32) int32 {
	var hash int32
	for _, b := range []byte(key) { // ASCII alone, where Java's chars are the bytes
		hash = 31*hash + int32(b)
	}
	const least = -1 << 31
	if hash == least {
		return 0
	}
	return max(hash, -hash) % partitions
}
