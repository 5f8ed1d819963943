package kafkatest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Lost reads the topics of acks from their beginning to their present end and
// returns the acks whose record is not there with its offset and value, in the
// order given.
func (c *Cluster) Lost(ctx context.Context, acks []Ack) ([]Ack, error) {
	missing, topics := map[Ack]bool{}, map[string]bool{}
	for _, ack := range acks {
		missing[ack.record()], topics[ack.Topic] = true, true
	}
	for _, topic := range slices.Sorted(maps.Keys(topics)) {
		err := c.readBack(ctx, topic, func(r *kgo.Record) {
			delete(missing, Ack{Topic: topic, Partition: r.Partition, Offset: r.Offset, Value: string(r.Value)})
		})
		if err != nil {
			return nil, fmt.Errorf("read topic %s back: %w", topic, err)
		}
	}
	var lost []Ack
	for _, ack := range acks {
		if missing[ack.record()] {
			lost = append(lost, ack)
		}
	}
	return lost, nil
}

// record is an ack without its time: what identifies the record.
func (a Ack) record() Ack {
	return Ack{Topic: a.Topic, Partition: a.Partition, Offset: a.Offset, Value: a.Value}
}

// readBack shows see every record between the beginning of a topic and its
// present end.
func (c *Cluster) readBack(ctx context.Context, topic string, see func(*kgo.Record)) error {
	ends, err := kadm.NewClient(c.judge).ListEndOffsets(ctx, topic)
	if err != nil {
		return err
	}
	if err := ends.Error(); err != nil {
		return err
	}
	unread := map[int32]int64{} // the end of each partition that is not read yet
	start := map[int32]kgo.Offset{}
	ends.Each(func(end kadm.ListedOffset) {
		if end.Offset > 0 {
			unread[end.Partition], start[end.Partition] = end.Offset, kgo.NewOffset().AtStart()
		}
	})
	cl, err := kgo.NewClient(append(judgeOptions(c.JudgeBootstrap()), kgo.KeepControlRecords(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: start}))...)
	if err != nil {
		return err
	}
	defer cl.Close()
	for len(unread) > 0 {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			see(r)
			if r.Offset+1 >= unread[r.Partition] {
				delete(unread, r.Partition)
			}
		})
	}
	return nil
}
