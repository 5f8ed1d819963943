package kafka_test

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// clockIsTrue holds what the adapter takes for the controller's clock against
// this host's, which is the same one.
func (r realCluster) clockIsTrue() {
	req := kmsg.NewPtrDescribeQuorumRequest()
	topic := kmsg.NewDescribeQuorumRequestTopic()
	topic.Topic = "__cluster_metadata"
	topic.Partitions = []kmsg.DescribeQuorumRequestTopicPartition{kmsg.NewDescribeQuorumRequestTopicPartition()}
	req.Topics = append(req.Topics, topic)
	cl := r.Client()
	defer cl.Close()
	asked := time.Now()
	resp, err := req.RequestWith(r.T.Context(), cl)
	if err != nil {
		r.Fatal(err)
	}
	answered := time.Now()
	log := resp.Topics[0].Partitions[0]
	for _, voter := range log.CurrentVoters {
		at := time.UnixMilli(voter.LastFetchTimestamp)
		if voter.ReplicaID == log.LeaderID && (at.Before(asked.Truncate(time.Millisecond)) || at.After(answered)) {
			r.Errorf("the leader's entry says %v, asked at %v and answered at %v", at, asked, answered)
		}
	}
	if ahead := r.snapshot(plan.Scope{Via: -1}).ClockAhead; ahead != 0 {
		r.Errorf("the clock of the controller is %v ahead of itself", ahead)
	}
}
