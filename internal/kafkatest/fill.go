package kafkatest

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// fillRecord is the size of the records that Fill writes.
const fillRecord = 10_000

// Fill writes about so many bytes to a topic, in equal shares to its partitions,
// and returns when all replicas have them. The records are random and are not
// compressed, so that the logs grow by what was written and little more.
func (c *Cluster) Fill(topic string, bytes int64) {
	c.t.Helper()
	partitions := slices.Sorted(maps.Keys(c.Describe().Topics[topic].Partitions))
	if len(partitions) == 0 {
		c.t.Fatalf("fill topic %s: it has no partitions", topic)
	}
	ctx, cancel := c.context()
	defer cancel()
	cl := c.Client(fillOptions()...)
	defer cl.Close()
	w := written{next: map[int32]int64{}}
	each := (bytes + int64(len(partitions)) - 1) / int64(len(partitions))
	for left := each; left > 0; left -= fillRecord {
		for _, number := range partitions {
			value := make([]byte, min(left, fillRecord))
			rand.Read(value)
			// The key is one of a kind, so that a compacted topic keeps them all.
			key := []byte(rand.Text())
			cl.Produce(ctx, &kgo.Record{Topic: topic, Partition: number, Key: key, Value: value}, w.note)
		}
	}
	if err := cl.Flush(ctx); err != nil {
		c.t.Fatalf("fill topic %s: %v", topic, err)
	}
	if err := w.waitReplicated(ctx, cl, topic); err != nil {
		c.t.Fatalf("fill topic %s: %v", topic, err)
	}
}

func fillOptions() []kgo.Opt {
	return []kgo.Opt{
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.ProducerLinger(5 * time.Millisecond),
		// A fetch ends in the middle of a batch, and the follower asks for the whole
		// of that one again. With batches as large as a fetch a copy sends half of
		// its bytes twice; with these, as the Java producer makes them, two in a hundred.
		kgo.ProducerBatchMaxBytes(32 << 10),
		kgo.MaxBufferedRecords(2000), // 20 MB
		// One ack: before 3.7 a topic with fewer replicas than its min ISR takes
		// no others.
		kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite(),
	}
}

// written is how far the leaders' logs got.
type written struct {
	mu   sync.Mutex
	next map[int32]int64 // by partition, the offset after the last record
	err  error           // the first one
}

// note is the promise of a record.
func (w *written) note(r *kgo.Record, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("record for partition %d: %w", r.Partition, err)
	}
	if err == nil {
		w.next[r.Partition] = max(w.next[r.Partition], r.Offset+1)
	}
}

// waitReplicated waits until consumers may read all that was written, which is
// when every replica in sync has it.
func (w *written) waitReplicated(ctx context.Context, cl *kgo.Client, topic string) error {
	if w.err != nil {
		return w.err
	}
	return poll(ctx, "all replicas to have the records", func() error {
		ends, err := kadm.NewClient(cl).ListEndOffsets(ctx, topic)
		if err != nil {
			return err
		}
		for number, next := range w.next {
			if end, ok := ends.Lookup(topic, number); !ok || end.Err != nil || end.Offset < next {
				return fmt.Errorf("partition %d: %+v, want offset %d", number, end, next)
			}
		}
		return nil
	})
}
