package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// How long catchUp waits: for the next record, which an idle controller appends
// every 500 ms (metadata.max.idle.interval.ms), and for a broker that is behind.
const (
	nextRecord = 600 * time.Millisecond
	behindMost = 3 * time.Second
)

// catchUp returns once a broker has heard of everything that the controllers
// had committed when it was called (KRaft). What is committed reaches a broker
// with the record after it at the latest: before 4.1 a fetch does not return
// for a higher watermark alone (KIP-1166). A broker that stays behind is an
// error; where nobody may or can tell, it returns at once.
func (c *Client) catchUp(ctx context.Context, broker int32) error {
	log, _, err := c.metadataLog(ctx, broker)
	if err != nil {
		return nil //nolint:nilerr // the picture notes that the quorum can not be read
	}
	committed := log.HighWatermark
	begin := time.Now()
	for {
		end, known := endOf(log, broker)
		waited := time.Since(begin)
		switch {
		case !known, end > committed, end == committed && waited > nextRecord:
			return nil
		case waited > behindMost:
			return fmt.Errorf("broker %d is behind the controller: at record %d of %d", broker, end, committed)
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return err
		}
		if log, _, err = c.metadataLog(ctx, broker); err != nil {
			return err
		}
	}
}

// endOf is how far a broker's copy of the log goes; a combined node is a voter.
func endOf(log kmsg.DescribeQuorumResponseTopicPartition, broker int32) (int64, bool) {
	for _, replicas := range [][]kmsg.DescribeQuorumResponseTopicPartitionReplicaState{log.Observers, log.CurrentVoters} {
		for _, r := range replicas {
			if r.ReplicaID == broker {
				return r.LogEndOffset, true
			}
		}
	}
	return 0, false
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
