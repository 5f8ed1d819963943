package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
	"drain/reassign"
)

// logEntry is one log on a broker.
type logEntry struct {
	plan.TopicPartition
	bytes  int64 // on local disk only (KIP-405)
	future bool  // being copied from another dir of the same broker
}

// Logs lists the partitions that have a log on a broker, sorted, and the log
// dirs that are offline, whose logs can not be listed. It names topics that
// this login may not describe. A log that has left the replica list is marked
// for deletion at once and not listed, though its files stay for a while
// (file.delete.delay.ms). A missing right is an [ErrAuthorization].
func (c *Client) Logs(ctx context.Context, broker int32) (logs []plan.TopicPartition, offline []string, err error) {
	dirs, err := c.logDirs(ctx, broker, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range dirs {
		if dir.ErrorCode != 0 {
			offline = append(offline, dir.Dir)
		}
		for _, log := range logsIn(dir) {
			logs = append(logs, log.TopicPartition)
		}
	}
	slices.SortFunc(logs, plan.TopicPartition.Compare)
	slices.Sort(offline)
	return slices.Compact(logs), offline, nil // one that moves between two dirs is in both
}

// cordoned says that every log dir of a broker is cordoned (KIP-1066). Before
// 4.3 it is false: the setting is accepted there and does nothing.
func cordoned(dirs []kmsg.DescribeLogDirsResponseDir) bool {
	return len(dirs) > 0 && !slices.ContainsFunc(dirs, func(d kmsg.DescribeLogDirsResponseDir) bool { return !d.IsCordoned })
}

// Sizes reads the size of each log of the partitions named on the brokers
// named. What a broker that did not answer holds is absent; only if none
// answered is that an error.
func (c *Client) Sizes(ctx context.Context, brokers []int32, of []plan.TopicPartition) (map[reassign.Replica]int64, error) {
	sizes := map[reassign.Replica]int64{}
	if len(brokers) == 0 || len(of) == 0 {
		return sizes, nil
	}
	only := logsOf(of)
	answers := make([][]kmsg.DescribeLogDirsResponseDir, len(brokers))
	errs := make([]error, len(brokers))
	each(brokers, func(i int, broker int32) { answers[i], errs[i] = c.logDirs(ctx, broker, only) })
	for i, dirs := range answers {
		for _, dir := range dirs {
			for _, log := range logsIn(dir) {
				if !log.future {
					sizes[reassign.Replica{TopicPartition: log.TopicPartition, Broker: brokers[i]}] = log.bytes
				}
			}
		}
	}
	if !slices.Contains(errs, nil) {
		return nil, errors.Join(errs...)
	}
	return sizes, nil
}

// Space reads the log dirs of the brokers named: how large each is, and how much
// of it is free. What a broker that did not answer has is absent; only if none
// answered is that an error. Bytes are Unknown before 3.3 (KIP-827).
func (c *Client) Space(ctx context.Context, brokers []int32) (map[int32][]plan.LogDir, error) {
	answers := make([]account, len(brokers))
	errs := make([]error, len(brokers))
	each(brokers, func(i int, broker int32) {
		answers[i].dirs, errs[i] = c.logDirs(ctx, broker, []kmsg.DescribeLogDirsRequestTopic{})
	})
	space := map[int32][]plan.LogDir{}
	for i, broker := range brokers {
		if errs[i] == nil {
			space[broker] = answers[i].logDirs(false, 0)
		}
	}
	if len(space) == 0 && len(brokers) > 0 {
		return nil, errors.Join(errs...)
	}
	return space, nil
}

// Place names the log dir that a replica will go to, before it exists: the
// broker answers REPLICA_NOT_AVAILABLE and remembers it until its restart. The
// message of a refusal names the broker. An err names the brokers that did not
// answer; the others were told all the same.
func (c *Client) Place(ctx context.Context, at []reassign.Placement) (refused []reassign.PartitionError, err error) {
	requests := map[int32]map[string][]plan.TopicPartition{}
	var brokers []int32
	for _, p := range at {
		if requests[p.Broker] == nil {
			requests[p.Broker] = map[string][]plan.TopicPartition{}
			brokers = append(brokers, p.Broker)
		}
		requests[p.Broker][p.Dir] = append(requests[p.Broker][p.Dir], p.TopicPartition)
	}
	slices.Sort(brokers)
	answers := make([][]reassign.PartitionError, len(brokers))
	errs := make([]error, len(brokers))
	each(brokers, func(i int, broker int32) { answers[i], errs[i] = c.place(ctx, broker, requests[broker]) })
	return sortRefusals(slices.Concat(answers...)), errors.Join(errs...)
}

func (c *Client) place(ctx context.Context, broker int32, dirs map[string][]plan.TopicPartition) ([]reassign.PartitionError, error) {
	req := kmsg.NewPtrAlterReplicaLogDirsRequest()
	for path, of := range dirs {
		dir := kmsg.NewAlterReplicaLogDirsRequestDir()
		dir.Dir = path
		names, numbers := byTopic(of)
		for _, n := range names {
			topic := kmsg.NewAlterReplicaLogDirsRequestDirTopic()
			topic.Topic, topic.Partitions = n, numbers[n]
			dir.Topics = append(dir.Topics, topic)
		}
		req.Dirs = append(req.Dirs, dir)
	}
	answer, err := c.askBroker(ctx, broker, req)
	if err != nil {
		return nil, fmt.Errorf("place replicas on broker %d: %w", broker, err)
	}
	var refused []reassign.PartitionError
	for _, topic := range answer.(*kmsg.AlterReplicaLogDirsResponse).Topics {
		for _, p := range topic.Partitions {
			if p.ErrorCode != 0 && p.ErrorCode != kerr.ReplicaNotAvailable.Code {
				on := fmt.Sprintf("on broker %d", broker)
				refused = append(refused, refusal(plan.TopicPartition{Topic: topic.Topic, Partition: p.Partition}, p.ErrorCode, &on))
			}
		}
	}
	return refused, nil
}

// logDirs asks a broker about itself: every log if only is nil, volume totals
// alone if it is empty. Raw, because kadm drops the totals (KIP-827).
func (c *Client) logDirs(ctx context.Context, broker int32, only []kmsg.DescribeLogDirsRequestTopic) ([]kmsg.DescribeLogDirsResponseDir, error) {
	req := kmsg.NewPtrDescribeLogDirsRequest()
	req.Topics = only
	answer, err := c.askBroker(ctx, broker, req)
	if err != nil {
		return nil, fmt.Errorf("log dirs of broker %d: %w", broker, err)
	}
	resp := answer.(*kmsg.DescribeLogDirsResponse)
	if err := fault(resp.ErrorCode, nil); err != nil {
		return nil, fmt.Errorf("log dirs of broker %d: %w", broker, err)
	}
	if len(resp.Dirs) == 0 {
		// Before v3 a missing right shows as an empty answer, and a broker
		// without any log dir does not run.
		return nil, fmt.Errorf("log dirs of broker %d: %w: the answer has none", broker, ErrAuthorization)
	}
	return resp.Dirs, nil
}

func logsOf(of []plan.TopicPartition) []kmsg.DescribeLogDirsRequestTopic {
	names, numbers := byTopic(of)
	topics := make([]kmsg.DescribeLogDirsRequestTopic, len(names)) // empty, not nil: nil asks for all
	for i, n := range names {
		topics[i] = kmsg.NewDescribeLogDirsRequestTopic()
		topics[i].Topic, topics[i].Partitions = n, numbers[n]
	}
	return topics
}

func logsIn(dir kmsg.DescribeLogDirsResponseDir) []logEntry {
	var logs []logEntry
	for _, topic := range dir.Topics {
		for _, p := range topic.Partitions {
			logs = append(logs, logEntry{plan.TopicPartition{Topic: topic.Topic, Partition: p.Partition}, p.Size, p.IsFuture})
		}
	}
	return logs
}
