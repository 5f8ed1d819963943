package kafka

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// leaderAhead is how far the clock of the leading controller is ahead of ours,
// or behind if negative, by more than the question took. The leader's own entry
// in the answer has the time at which it answered (LeaderState.describeReplicaState);
// 0 where the answer has no times (v0).
func leaderAhead(part kmsg.DescribeQuorumResponseTopicPartition, asked, answered time.Time) time.Duration {
	for _, voter := range part.CurrentVoters {
		if voter.ReplicaID != part.LeaderID || voter.LastFetchTimestamp <= 0 {
			continue
		}
		const tick = time.Millisecond // what the time was rounded down to
		now := time.UnixMilli(voter.LastFetchTimestamp)
		switch {
		case now.After(answered):
			return now.Sub(answered.Round(0))
		case now.Add(tick).Before(asked):
			return now.Add(tick).Sub(asked.Round(0))
		}
	}
	return 0
}
