package kafka_test

import (
	"fmt"
	"slices"
	"time"

	"drain/plan"
)

func (r realCluster) coordinatorsAnswer() {
	var of []plan.TopicPartition
	for n := range int32(3) {
		of = append(of, tp("__consumer_offsets", n))
	}
	r.soon("all loaded", func() error {
		if loading, err := r.c.Loading(r.T.Context(), of); err != nil || loading != nil {
			return fmt.Errorf("loading: %v, %w", loading, err)
		}
		return nil
	})
}

func (r realCluster) hungBroker() {
	r.Stop(2)
	begin := time.Now()
	got := r.snapshot(plan.Scope{Brokers: []int32{1}, Via: 3, Space: true})
	r.Logf("snapshot with a hung broker: %v", time.Since(begin))
	if len(got.Notes) != 1 || got.Notes[0].Broker != 2 || got.Notes[0].Risk != "broker-unread" {
		r.Errorf("notes: got %+v, want one of broker 2", got.Notes)
	}
	if b, _ := got.Broker(2); b.CapacityBytes != plan.Unknown {
		r.Errorf("broker 2: got %d bytes, want unknown", b.CapacityBytes)
	}
	r.Cont(2)
	if err := r.WaitInSync(r.T.Context()); err != nil {
		r.Fatal(err)
	}
}

func (r realCluster) bootstrapDies() {
	r.Kill(1)
	r.soon("broker 1 is gone", func() error {
		for via := int32(2); via <= 4; via++ {
			if ids, err := r.c.BrokersSeenBy(r.T.Context(), via); err != nil || !slices.Equal(ids, []int32{2, 3, 4}) {
				return fmt.Errorf("broker %d sees %v, %w", via, ids, err)
			}
		}
		return nil
	})
	got := r.sameAsJudge(plan.Scope{Brokers: []int32{1}, Via: -1, Space: true})
	if b, _ := got.Broker(1); b.State != plan.Fenced {
		r.Errorf("broker 1: got %+v, want it fenced", b)
	}
	log := view(r.T, got, tp("log", 0))
	if log.Leader != plan.NoLeader || len(log.ISR) > 0 || !slices.Equal(log.ELR, []int32{1}) || !slices.Equal(log.Offline, []int32{1}) {
		r.Errorf("log-0: got %+v, want no leader, no ISR, ELR [1], offline [1]", log)
	}
	if _, _, err := r.c.Logs(r.T.Context(), 1); err == nil {
		r.Error("the logs of a dead broker were listed")
	}
	if err := r.c.Unregister(r.T.Context(), 99); err != nil {
		r.Errorf("unregister 99, which nobody knows: %v", err)
	}
	if err := r.c.Unregister(r.T.Context(), 1); err != nil {
		r.Fatal(err)
	}
	r.soon("broker 1 is forgotten", func() error {
		if b, known := r.broker(1); known {
			return fmt.Errorf("it is %+v", b)
		}
		return nil
	})
}
