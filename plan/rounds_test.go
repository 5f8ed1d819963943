package plan

import "testing"

// What has no bytes takes the rounds that it is moved in.
func TestEmptyMovesTakeTheirRounds(t *testing.T) {
	t.Parallel()
	var b Builder
	for id := range int32(3) {
		b.Broker(Broker{ID: id, CapacityBytes: 1000, UsableBytes: 1000})
	}
	b.Topic(Topic{Name: "t"})
	for n := range int32(130) {
		b.Partition(PartitionView{Number: n, Leader: 0, Replicas: []int32{0}, ISR: []int32{0}})
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		perBroker, cluster int
		seconds, bound     float64
	}{
		{0, 0, 4, 2}, // 65 into each broker, 64 of them at once
		{1000, 0, 2, 0},
		{1, 0, 130, 128},
		{0, 10, 26, 24},
	} {
		p, err := Compute(c, Request{Brokers: []int32{0}, BytesPerSec: 1, InFlightPerBroker: x.perBroker, InFlight: x.cluster})
		if err != nil {
			t.Fatal(err)
		}
		if p.Totals.Seconds != x.seconds || p.Totals.BoundSeconds != x.bound {
			t.Errorf("%d into a broker, %d in the cluster: got %v s and at best %v, want %v and %v",
				x.perBroker, x.cluster, p.Totals.Seconds, p.Totals.BoundSeconds, x.seconds, x.bound)
		}
	}
}
