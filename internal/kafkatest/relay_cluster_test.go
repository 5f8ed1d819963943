package kafkatest_test

import (
	"context"
	"testing"
	"time"

	"drain/internal/kafkatest"

	"github.com/twmb/franz-go/pkg/kgo"
)

func TestARelayCapsABrokersClientsAndFollowers(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Spec{Brokers: kafkatest.Brokers(2), Relay: true})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c.CreateTopic("log", map[int32][]int32{0: {1, 2}}, nil)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...), kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	write := func() time.Duration {
		begin := time.Now()
		for range 4 {
			cl.Produce(ctx, &kgo.Record{Topic: "log", Value: make([]byte, 500_000)}, nil)
		}
		if err := cl.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		return time.Since(begin)
	}
	write()
	_, sent := c.Relay(1).Bytes()
	received, _ := c.Relay(2).Bytes()
	if sent < 2_000_000 || received < 2_000_000 {
		t.Errorf("2 MB copied: leader's link sent %d, follower's received %d", sent, received)
	}
	c.Relay(1).Limit(1_000_000)
	if took := write(); took < 1900*time.Millisecond || took > 8*time.Second {
		t.Errorf("2 MB into a link of 1 MB/s took %v", took)
	}
}
