package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// behindMost is how long a broker may be behind the controller before another
// one is asked.
const behindMost = 3 * time.Second

// catchUp returns once a broker shows everything that the leading controller
// had in its log when it was called (KRaft), committed or not. A broker tells
// the last record that its metadata holds as the epoch of the finalized features
// (KRaftMetadataCache.features). That it has fetched a record, which
// DescribeQuorum tells, is not enough: it shows it some 20 ms later. One that
// stays behind is an error; where nobody may or can tell, catchUp returns at
// once.
func (c *Client) catchUp(ctx context.Context, broker int32) error {
	log, _, err := c.metadataLog(ctx, broker)
	if err != nil {
		return nil //nolint:nilerr // the picture notes that the quorum can not be read
	}
	last := endOf(log) - 1
	begin := time.Now()
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		apis, err := c.versions(ctx, broker)
		if err != nil {
			return err
		}
		shown := apis.FinalizedFeaturesEpoch
		if shown < 0 || shown >= last {
			return nil
		}
		if time.Since(begin) > behindMost {
			return fmt.Errorf("broker %d is behind the controller: it shows record %d of %d", broker, shown, last)
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// endOf is where the leader's log ends: before its disk and a majority have what
// it decided last, while it speaks of that as done already.
func endOf(log kmsg.DescribeQuorumResponseTopicPartition) int64 {
	end := log.HighWatermark
	for _, voter := range log.CurrentVoters {
		if voter.ReplicaID == log.LeaderID {
			end = max(end, voter.LogEndOffset)
		}
	}
	return end
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
