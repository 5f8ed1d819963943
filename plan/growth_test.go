package plan_test

import (
	"testing"
	"time"

	"drain/plan"
)

func TestGrowth(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	picture := func(taken time.Time, sizes ...int64) *plan.Cluster {
		b := plan.Builder{Head: plan.Cluster{TakenAt: taken}}
		b.Broker(plan.Broker{ID: 1})
		b.Topic(plan.Topic{Name: "log"})
		for i, size := range sizes {
			b.Partition(plan.PartitionView{Number: int32(i), Leader: 1, Replicas: []int32{1}, ISR: []int32{1}, SizeBytes: size})
		}
		c, err := b.Cluster()
		if err != nil {
			t.Fatal(err)
		}
		return &c
	}
	name := func(n int32) plan.TopicPartition { return plan.TopicPartition{Topic: "log", Partition: n} }
	var moves []plan.Move
	for n := range int32(5) {
		moves = append(moves, plan.Move{TopicPartition: name(n)})
	}

	before := picture(at, 100, 100, 100, plan.Unknown, 100, 100)
	grows := plan.Growth(before, picture(at.Add(4*time.Second), 180, 100, 20, 500, plan.Unknown, 900), moves)
	for n, want := range []int64{20, 0, 0, 0, 0, 0} { // the last does not move
		if got := grows(name(int32(n))); got != want {
			t.Errorf("log-%d grows by %d a second, want %d", n, got, want)
		}
	}
	if plan.Growth(picture(time.Time{}, 1), picture(at, 2), moves) != nil || plan.Growth(before, picture(at, 900), moves) != nil {
		t.Error("a rate is told of pictures without times, or of the same time")
	}
}
