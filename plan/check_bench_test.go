package plan

import (
	"bytes"
	"testing"
	"time"
)

// TestACheckOfOneBrokerAllocatesForItsPartitionsOnly holds the scan over all
// partitions to the flat arrays.
func TestACheckOfOneBrokerAllocatesForItsPartitionsOnly(t *testing.T) {
	small, large := wide(t, 1_000), wide(t, 20_000)
	one := testing.AllocsPerRun(3, func() { Check(small, []int32{7}) })
	many := testing.AllocsPerRun(3, func() { Check(large, []int32{7}) })
	// 20 times the partitions, and as many on broker 7: ten allocations each.
	if touched := float64(len(Check(large, []int32{7}).Touched)); many > one+12*touched {
		t.Errorf("%v allocations for 1,000 partitions, %v for 20,000 of which %v are touched", one, many, touched)
	}
}

// wide is a cluster of 2,000 brokers and partitions of three replicas, fifty a
// topic.
func wide(t testing.TB, partitions int) *Cluster {
	t.Helper()
	const brokers = 2000
	var b Builder
	b.Head.MinISRDefault = 2
	for id := range int32(brokers) {
		b.Broker(Broker{ID: id, CapacityBytes: Unknown, UsableBytes: Unknown})
	}
	for i := range partitions {
		if i%50 == 0 {
			b.Topic(Topic{Name: string([]byte{'t', byte('a' + i/50/26/26/26%26), byte('a' + i/50/26/26%26), byte('a' + i/50/26%26), byte('a' + i/50%26)})})
		}
		first := int32(i * 7919 % brokers)
		list := []int32{first, (first + 1 + int32(i%17)) % brokers, (first + 40 + int32(i%29)) % brokers}
		b.Partition(PartitionView{Number: int32(i % 50), Leader: first, LeaderEpoch: 1, Replicas: list, ISR: list, SizeBytes: 1})
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

func BenchmarkCheckOfTwoMillionPartitions(b *testing.B) {
	c := wide(b, 2_000_000)
	for name, brokers := range map[string][]int32{"one broker": {7}, "four hundred": upTo(400)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Check(c, brokers)
			}
		})
	}
}

// BenchmarkCheckBesideAParse tells what a prediction costs in parses of the same
// cluster's snapshot, in memory: at this size it is to stay below 0.3.
func BenchmarkCheckBesideAParse(b *testing.B) {
	var file bytes.Buffer
	if err := WriteSnapshot(&file, *wide(b, 2_000_000)); err != nil {
		b.Fatal(err)
	}
	for name, brokers := range map[string][]int32{"one broker": {7}, "a rack of one hundred": upTo(100)} {
		b.Run(name, func(b *testing.B) {
			var parsing, checking time.Duration
			for b.Loop() {
				begin := time.Now()
				c, err := ReadSnapshot(bytes.NewReader(file.Bytes()))
				if err != nil {
					b.Fatal(err)
				}
				parsed := time.Now()
				Check(&c, brokers)
				parsing, checking = parsing+parsed.Sub(begin), checking+time.Since(parsed)
			}
			b.ReportMetric(checking.Seconds()/parsing.Seconds(), "parses")
			b.ReportMetric(float64(file.Len())/1e6, "MB")
		})
	}
}

func upTo(n int32) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(i)
	}
	return ids
}
