package e2e_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// writer is a franz-go producer that writes to every partition of some topics
// with acks=all, and keeps account of what was acknowledged, refused and slow.
type writer struct {
	client *kgo.Client
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu    sync.Mutex
	acked map[string]map[int32][]uint64 // by topic and partition: sequence numbers
	errs  []error
	times latencies
	next  atomic.Uint64
}

// startWriter writes one record after another to each partition, with a pause
// after each, until stop. It returns when every partition has taken one: the
// first waits for connections, a producer ID and a broker that has just started,
// and is not counted as slow.
func startWriter(t *testing.T, bootstrap []string, partitions map[string]int32, pause time.Duration) *writer {
	t.Helper()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(bootstrap...),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
	)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	w := &writer{client: client, cancel: cancel, acked: map[string]map[int32][]uint64{}}
	for topic, n := range partitions {
		for p := range n {
			w.done.Go(func() { w.write(ctx, topic, p, pause) })
		}
	}
	t.Cleanup(func() { w.stop() })
	w.warmUp(t, partitions)
	return w
}

// warmUp waits until every partition has taken a record, and counts slow writes
// from then on.
func (w *writer) warmUp(t *testing.T, partitions map[string]int32) {
	t.Helper()
	eventually(t, time.Minute, "every partition to take a record", func() bool { return w.reached(partitions) })
	w.restart()
}

// restart forgets how long writes took so far, and gives it back.
func (w *writer) restart() latencies {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.times
	w.times = latencies{since: time.Now()}
	return was
}

// reached says that every partition has taken a record.
func (w *writer) reached(partitions map[string]int32) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for topic, n := range partitions {
		if len(w.acked[topic]) < int(n) {
			return false
		}
	}
	return true
}

func (w *writer) write(ctx context.Context, topic string, partition int32, pause time.Duration) {
	for ctx.Err() == nil {
		seq := w.next.Add(1)
		value := binary.BigEndian.AppendUint64(nil, seq)
		began := time.Now()
		err := w.client.ProduceSync(context.WithoutCancel(ctx), &kgo.Record{
			Topic: topic, Partition: partition, Key: []byte(strconv.FormatUint(seq, 10)), Value: value,
		}).FirstErr()
		w.record(topic, partition, seq, began, err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (w *writer) record(topic string, partition int32, seq uint64, began time.Time, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.times.note(fmt.Sprintf("%s-%d", topic, partition), began)
	if err != nil {
		w.errs = append(w.errs, fmt.Errorf("%s-%d: %w", topic, partition, err))
		return
	}
	if w.acked[topic] == nil {
		w.acked[topic] = map[int32][]uint64{}
	}
	w.acked[topic][partition] = append(w.acked[topic][partition], seq)
}

// stop ends the writing and waits for what is under way. It may be called twice.
func (w *writer) stop() {
	w.cancel()
	w.done.Wait()
	w.client.Close()
}

// judge fails the test for every error. That no write is slower than the limit
// is a bar.
func (w *writer) judge(t *testing.T, limit time.Duration) {
	t.Helper()
	w.wantNoErrors(t)
	t.Logf("franz-go producer: %v", &w.times)
	bar(t, w.times.longest <= limit, "a write to %s waited %v, want at most %v", w.times.slowest, w.times.longest, limit)
}

// wantNoErrors fails the test for every error. The writer must have stopped.
func (w *writer) wantNoErrors(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, err := range w.errs[:min(len(w.errs), 5)] {
		t.Errorf("franz-go producer: %v", err)
	}
	if len(w.errs) > 5 {
		t.Errorf("franz-go producer: %d errors in all", len(w.errs))
	}
	if len(w.acked) == 0 {
		t.Error("franz-go producer: nothing was acknowledged")
	}
}

// readBack reads every partition from its start to its end and fails the test
// for each acknowledged record that is not there.
func (w *writer) readBack(t *testing.T, bootstrap []string) {
	t.Helper()
	for topic, partitions := range w.acked {
		found := readAll(t, bootstrap, topic)
		for p, seqs := range partitions {
			missing := slices.DeleteFunc(slices.Clone(seqs), func(s uint64) bool { return found[p][s] })
			if len(missing) > 0 {
				t.Errorf("%s-%d: %d of %d acknowledged records are gone, the first %d", topic, p, len(missing), len(seqs), missing[0])
			}
		}
	}
}

// readAll returns the sequence numbers of the writer's records by partition.
func readAll(t *testing.T, bootstrap []string, topic string) map[int32]map[uint64]bool {
	t.Helper()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(bootstrap...),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	found := map[int32]map[uint64]bool{}
	reached, ends := map[int32]int64{}, endOffsets(t, client, topic)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !reachedAll(reached, ends) {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("read %s back: %v; at %v of %v", topic, err, reached, ends)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			reached[r.Partition] = max(reached[r.Partition], r.Offset+1)
			if len(r.Value) != 8 {
				return
			}
			if found[r.Partition] == nil {
				found[r.Partition] = map[uint64]bool{}
			}
			found[r.Partition][binary.BigEndian.Uint64(r.Value)] = true
		})
	}
	return found
}

func reachedAll(reached, ends map[int32]int64) bool {
	for p, end := range ends {
		if reached[p] < end {
			return false
		}
	}
	return true
}

// endOffsets are the high watermarks of a topic's partitions.
func endOffsets(t *testing.T, client *kgo.Client, topic string) map[int32]int64 {
	t.Helper()
	offsets, err := kadm.NewClient(client).ListEndOffsets(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	ends := map[int32]int64{}
	offsets.Each(func(o kadm.ListedOffset) {
		if o.Err != nil {
			t.Fatalf("end of %s-%d: %v", topic, o.Partition, o.Err)
		}
		ends[o.Partition] = o.Offset
	})
	return ends
}
