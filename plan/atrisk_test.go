package plan_test

import (
	"testing"

	"drain/plan"
)

// Where every broker that stays has a replica already, an evacuation is no remedy: it
// was told to be one, and its cost was that of what little it could move.
func TestAnEvacuationThatWouldBeRefusedIsNoRemedy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		brokers int32
		left    int
		remedy  string
	}{
		{3, 1, "keep the other brokers up meanwhile; mode evacuate would be refused, as it has no place for all"},
		{4, 0, "mode evacuate moves them all"},
	} {
		b := plan.Builder{Head: plan.Cluster{MinISRDefault: 1}}
		for id := range test.brokers {
			b.Broker(plan.Broker{ID: id + 1, CapacityBytes: 1000, UsableBytes: plan.Unknown})
		}
		b.Topic(plan.Topic{Name: "t"})
		b.Partition(plan.PartitionView{Leader: 3, Replicas: []int32{3, 1, 2}, ISR: []int32{1, 2, 3}, SizeBytes: 100})
		c, err := b.Cluster()
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.Compute(c, plan.Request{Brokers: []int32{3}, Mode: plan.AtRisk})
		if err != nil || len(p.Findings) != 1 || p.Findings[0].Remedy != test.remedy {
			t.Errorf("%d brokers: got %+v, %v, want %s", test.brokers, p.Findings, err, test.remedy)
		}
		if read := reread(t, p); p.InsteadLeft != test.left || read.InsteadLeft != test.left {
			t.Errorf("%d brokers: %d would stay, read back %d; want %d", test.brokers, p.InsteadLeft, read.InsteadLeft, test.left)
		}
	}
}
