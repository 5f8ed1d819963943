package kafka

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestTheLeadersClockIsKnownWithinTheRoundTrip(t *testing.T) {
	t.Parallel()
	asked, answered := time.UnixMilli(10_000), time.UnixMilli(10_200)
	for _, c := range []struct {
		name    string
		leader  int32
		fetched int64
		want    time.Duration
	}{
		{"within the round trip", 100, 10_100, 0},
		{"rounded down to the millisecond before", 100, 9_999, 0},
		{"ahead", 100, 70_200, time.Minute},
		{"behind", 100, 4_999, -5 * time.Second},
		{"not told (v0)", 100, -1, 0},
		{"no leader", -1, 70_200, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			part := kmsg.DescribeQuorumResponseTopicPartition{LeaderID: c.leader, CurrentVoters: []kmsg.DescribeQuorumResponseTopicPartitionReplicaState{
				{ReplicaID: 99, LastFetchTimestamp: 1},
				{ReplicaID: 100, LastFetchTimestamp: c.fetched},
			}}
			if got := leaderAhead(part, asked, answered); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
