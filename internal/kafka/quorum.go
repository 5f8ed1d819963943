package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// lagging is how long a voter may be behind the leader and still counts as
// caught up. The leader appends a record every 500 ms even when idle
// (metadata.max.idle.interval.ms), and elections begin after 2 s without it
// (controller.quorum.fetch.timeout.ms).
const lagging = 5000 // ms

// controllers is what the leading KRaft controller tells.
type controllers struct {
	quorum *plan.Quorum
	heard  []plan.Heard
	ahead  time.Duration // its clock, see leaderAhead
}

// controllers asks the leading controller; zero in ZooKeeper mode.
func (c *Client) controllers(ctx context.Context, via int32) (controllers, error) {
	if c.mode == plan.ZooKeeper {
		return controllers{}, nil
	}
	asked := time.Now()
	log, nodes, err := c.metadataLog(ctx, via)
	if err != nil {
		return controllers{}, err
	}
	return controllers{quorumOf(log, nodes), heardOf(log), leaderAhead(log, asked, time.Now())}, nil
}

// heardOf is when the leader got the last fetch of each node, where the answer
// has it (v1).
func heardOf(part kmsg.DescribeQuorumResponseTopicPartition) []plan.Heard {
	var heard []plan.Heard
	for _, node := range slices.Concat(part.CurrentVoters, part.Observers) {
		if node.LastFetchTimestamp > 0 {
			heard = append(heard, plan.Heard{ID: node.ReplicaID, At: time.UnixMilli(node.LastFetchTimestamp).UTC()})
		}
	}
	slices.SortFunc(heard, func(a, b plan.Heard) int { return cmp.Compare(a.ID, b.ID) })
	return heard
}

// metadataLog is how far the controllers and the brokers are in the log of
// metadata, as the leading controller knows.
func (c *Client) metadataLog(ctx context.Context, via int32) (kmsg.DescribeQuorumResponseTopicPartition, []kmsg.DescribeQuorumResponseNode, error) {
	var none kmsg.DescribeQuorumResponseTopicPartition
	req := kmsg.NewPtrDescribeQuorumRequest()
	topic := kmsg.NewDescribeQuorumRequestTopic()
	topic.Topic = "__cluster_metadata"
	topic.Partitions = []kmsg.DescribeQuorumRequestTopicPartition{kmsg.NewDescribeQuorumRequestTopicPartition()}
	req.Topics = append(req.Topics, topic)
	answer, err := c.askBroker(ctx, via, req)
	if err != nil {
		return none, nil, fmt.Errorf("describe quorum: %w", err)
	}
	resp := answer.(*kmsg.DescribeQuorumResponse)
	if err := fault(resp.ErrorCode, resp.ErrorMessage); err != nil {
		return none, nil, fmt.Errorf("describe quorum: %w", err)
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return none, nil, errors.New("describe quorum: the answer has no quorum")
	}
	part := resp.Topics[0].Partitions[0]
	if err := fault(part.ErrorCode, part.ErrorMessage); err != nil {
		return none, nil, fmt.Errorf("describe quorum: %w", err)
	}
	return part, resp.Nodes, nil
}

func quorumOf(part kmsg.DescribeQuorumResponseTopicPartition, nodes []kmsg.DescribeQuorumResponseNode) *plan.Quorum {
	hosts := map[int32]string{}
	for _, node := range nodes {
		if len(node.Listeners) > 0 {
			hosts[node.NodeID] = node.Listeners[0].Host
		}
	}
	q := &plan.Quorum{LeaderID: part.LeaderID}
	var leader kmsg.DescribeQuorumResponseTopicPartitionReplicaState
	for _, voter := range part.CurrentVoters {
		q.Voters = append(q.Voters, plan.Voter{ID: voter.ReplicaID, Host: hosts[voter.ReplicaID]})
		if voter.ReplicaID == part.LeaderID {
			leader = voter
		}
	}
	for _, voter := range part.CurrentVoters {
		if behind(voter, leader) {
			q.Lagging = append(q.Lagging, voter.ReplicaID)
		}
	}
	slices.SortFunc(q.Voters, func(a, b plan.Voter) int { return cmp.Compare(a.ID, b.ID) })
	slices.Sort(q.Lagging)
	return q
}

// behind compares by time where the answer has it (v1), else by offset.
func behind(voter, leader kmsg.DescribeQuorumResponseTopicPartitionReplicaState) bool {
	if leader.LastCaughtUpTimestamp > 0 {
		return leader.LastCaughtUpTimestamp-voter.LastCaughtUpTimestamp > lagging
	}
	return voter.LogEndOffset < 0
}

func (p *picture) readQuorum(ctx context.Context) {
	var err error
	p.controllers, err = p.client.controllers(ctx, p.via)
	if err != nil {
		p.note(plan.Block, "quorum-unread", "", -1, "the controllers can not be read, so that a majority without the drained broker is not certain: "+err.Error(),
			"grant DESCRIBE on the cluster to this login, or wait until the controllers have a leader")
	}
}
