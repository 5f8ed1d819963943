package kafkatest_test

import (
	"context"
	"testing"
	"time"

	"drain/internal/kafkatest"
)

func TestAKilledBrokerLeavesMetadataAndComesBack(t *testing.T) {
	begin := time.Now()
	c := kafkatest.Start(t, kafkatest.Spec{Brokers: kafkatest.Brokers(5, "a", "b", "c")})
	t.Logf("up after %v", time.Since(begin))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	begin = time.Now()
	c.Kill(2)
	if err := c.WaitBrokers(ctx, 1, 3, 4, 5); err != nil {
		t.Fatal(err)
	}
	t.Logf("gone after %v", time.Since(begin))
	begin = time.Now()
	c.Restart(2)
	if err := c.WaitBrokers(ctx, 1, 2, 3, 4, 5); err != nil {
		t.Fatal(err)
	}
	t.Logf("back after %v", time.Since(begin))
}
