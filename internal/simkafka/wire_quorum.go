package simkafka

import (
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// describeQuorum tells how far each voter is.
func (q *question) describeQuorum(req *kmsg.DescribeQuorumRequest, resp *kmsg.DescribeQuorumResponse) {
	for _, t := range req.Topics {
		out := kmsg.NewDescribeQuorumResponseTopic()
		out.Topic = t.Topic
		for _, asked := range t.Partitions {
			at := kmsg.NewDescribeQuorumResponseTopicPartition()
			at.Partition = asked.Partition
			if t.Topic == "__cluster_metadata" && asked.Partition == 0 {
				q.fillQuorum(&at)
			} else {
				at.ErrorCode = kerr.UnknownTopicOrPartition.Code
			}
			out.Partitions = append(out.Partitions, at)
		}
		resp.Topics = append(resp.Topics, out)
	}
	for _, v := range q.quorum.Voters {
		n := kmsg.NewDescribeQuorumResponseNode()
		n.NodeID = v.ID
		l := kmsg.NewDescribeQuorumResponseNodeListener()
		l.Name, l.Host, l.Port = "CONTROLLER", v.Host, v.Port
		n.Listeners = append(n.Listeners, l)
		resp.Nodes = append(resp.Nodes, n)
	}
}

func (q *question) fillQuorum(at *kmsg.DescribeQuorumResponseTopicPartition) {
	end := q.metadataEnd(0)
	at.LeaderID, at.LeaderEpoch, at.HighWatermark = q.leaderID(), 1, end
	for _, v := range q.quorum.Voters {
		at.CurrentVoters = append(at.CurrentVoters, q.replicaState(v.ID, q.voterUp(v), v.Lagging, end))
	}
	for _, b := range q.sortedBrokers() {
		if b.running && !q.isVoter(b.id) {
			at.Observers = append(at.Observers, q.replicaState(b.id, true, false, end))
		}
	}
}

// metadataEnd is the end of the log of the metadata, as it was a while ago. The
// log grows by a record every millisecond, so that two moments differ.
func (q *question) metadataEnd(ago time.Duration) int64 {
	return 1000 + max(0, q.now-ago).Milliseconds()
}

func (q *question) isVoter(id int32) bool {
	for _, v := range q.quorum.Voters {
		if v.ID == id {
			return true
		}
	}
	return false
}

// longAgo is since when a voter that is down has been, for all that is known.
const longAgo = time.Hour

func (q *question) replicaState(id int32, up, lagging bool, end int64) kmsg.DescribeQuorumResponseTopicPartitionReplicaState {
	s := kmsg.NewDescribeQuorumResponseTopicPartitionReplicaState()
	now := q.clock()
	s.ReplicaID, s.LogEndOffset = id, end
	s.LastFetchTimestamp, s.LastCaughtUpTimestamp = now.UnixMilli(), now.UnixMilli()
	if !up {
		s.LastFetchTimestamp = now.Add(-longAgo).UnixMilli()
	}
	if !up || lagging {
		s.LogEndOffset, s.LastCaughtUpTimestamp = end/2, now.Add(-longAgo).UnixMilli()
	}
	return s
}

func refuseDescribeQuorum(_ *kmsg.DescribeQuorumRequest, resp *kmsg.DescribeQuorumResponse, code int16) {
	resp.ErrorCode = code
}
