package reassign_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"drain/internal/simkafka"
	"drain/plan"
	"drain/reassign"
)

// Over the protocol: a topic of a ZooKeeper cluster is deleted while some of its
// partitions move and others wait. It is gone at once, with its moves and its
// settings, and nobody is alarmed.
func TestAZooKeeperTopicIsDeletedWhileItMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := simkafka.Spec{ZooKeeper: true, Release: "3.9", Topics: []simkafka.Topic{{Name: "stays"}, {Name: "goes"}}}
		for id := range int32(4) {
			s.Brokers = append(s.Brokers, simkafka.Broker{ID: id + 1})
		}
		for n := range int32(8) {
			s.Topics[0].Partitions = append(s.Topics[0].Partitions, simkafka.Partition{Number: n, Replicas: []int32{1}, Bytes: 1_000_000})
			s.Topics[1].Partitions = append(s.Topics[1].Partitions, simkafka.Partition{Number: n, Replicas: []int32{1, 2}, Bytes: 3_000_000 + 3_000_000*int64(n)})
		}
		d := drillOn(t, s)
		deleted := false
		d.journal.moved = func(of []plan.TopicPartition) {
			if !deleted && slices.ContainsFunc(of, func(tp plan.TopicPartition) bool { return tp.Topic == "goes" }) {
				deleted = true
				if err := d.DeleteTopic("goes"); err != nil {
					t.Error(err)
				}
			}
		}
		var told []string
		d.report = func(ev reassign.Event) {
			if ev.Kind == reassign.Refused || ev.Kind == reassign.Queued {
				told = append(told, ev.Text)
			}
		}
		if err, _ := d.drive(func(driver *reassign.Driver) error { return driver.Move(t.Context(), d.plan) }); err != nil {
			t.Fatal(err)
		}
		if !deleted || len(told) > 0 {
			t.Errorf("deleted %v, and it was told: %q", deleted, told)
		}
		if open := d.journal.book.Open(); len(open) > 0 {
			t.Errorf("still owed: %v", open)
		}
		for _, topic := range d.State().Topics {
			for _, p := range topic.Partitions {
				if topic.Name == "goes" || slices.Contains(p.Replicas, 1) {
					t.Errorf("%s-%d is on %v", topic.Name, p.Number, p.Replicas)
				}
			}
		}
	})
}
