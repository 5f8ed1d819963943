package kafkatest_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"drain/internal/kafkatest"
)

func TestLongestWaitSeesARecordThatOthersOvertake(t *testing.T) {
	t.Parallel()
	begin := time.UnixMilli(1_000_000)
	tests := []struct {
		name      string
		values    []string
		atMillis  []int
		gap, wait time.Duration
	}{
		{name: "no answer at all"},
		{name: "one answer", values: []string{"0"}, atMillis: []int{5}},
		{name: "in order, a pause", values: []string{"0", "1", "2"}, atMillis: []int{0, 10, 410}, gap: 400 * time.Millisecond, wait: 400 * time.Millisecond},
		{
			name: "1 is acked long after 2, while others go on", values: []string{"0", "2", "3", "4", "1"},
			atMillis: []int{0, 100, 200, 300, 400}, gap: 100 * time.Millisecond, wait: 300 * time.Millisecond,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var p kafkatest.Produced
			for i, value := range test.values {
				p.Acked = append(p.Acked, kafkatest.Ack{Value: value, At: begin.Add(time.Duration(test.atMillis[i]) * time.Millisecond)})
			}
			if got := p.LongestGap(); got != test.gap {
				t.Errorf("gap: got %v, want %v", got, test.gap)
			}
			if got := p.LongestWait(); got != test.wait {
				t.Errorf("wait: got %v, want %v", got, test.wait)
			}
		})
	}
}

func TestKafkasOwnToolsJudgeAMove(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Spec{Combined: true, Controllers: 3})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c.CreateTopic("pay", map[int32][]int32{0: {1, 2}}, nil)
	producer := c.JavaProducer("pay", 100, nil)
	plan := []byte(`{"version":1,"partitions":[{"topic":"pay","partition":0,"replicas":[3,2]}]}`)
	if _, err := c.JavaReassign(ctx, plan, "--execute"); err != nil {
		t.Fatal(err)
	}
	moved := func(s kafkatest.State) error {
		p := s.Topics["pay"].Partitions[0]
		if !slices.Equal(p.Replicas, []int32{3, 2}) || !slices.Equal(p.ISR, []int32{2, 3}) {
			return fmt.Errorf("%+v", p)
		}
		return nil
	}
	if _, err := c.WaitState(ctx, "the move", moved); err != nil {
		t.Fatal(err)
	}
	c.Term(1)
	if err := c.WaitExit(1, 30*time.Second); err != nil {
		t.Fatal(err)
	}
	if err := c.WaitBrokers(ctx, 2, 3); err != nil {
		t.Fatal(err)
	}
	produced := producer.Stop()
	if len(produced.Failed) > 0 {
		t.Errorf("%d records failed, the first: %s", len(produced.Failed), produced.Failed[0])
	}
	if len(produced.Acked) < 100 {
		t.Errorf("%d records in about three seconds, want at least 100", len(produced.Acked))
	}
	missing := kafkatest.Ack{Topic: "pay", Offset: 0, Value: "never written"}
	lost, err := c.Lost(ctx, append(produced.Acked, missing))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(lost, []kafkatest.Ack{missing}) {
		t.Errorf("lost %v, want only %v", lost, missing)
	}
	t.Logf("%d acked, longest wait %v", len(produced.Acked), produced.LongestWait())
}
