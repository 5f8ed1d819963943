package kafka_test

import (
	"testing"

	"drain/internal/kafka"
	"drain/internal/simkafka"
	"drain/plan"
	"drain/reassign"
)

func TestAPictureHasTheThrottlesThatStand(t *testing.T) {
	t.Parallel()
	sim, err := simkafka.Start(simkafka.Spec{
		Brokers: []simkafka.Broker{
			{ID: 1, Configs: map[string]string{reassign.LeaderRate: "5000000", reassign.FollowerRate: "0"}},
			{ID: 2},
		},
		Defaults: map[string]string{reassign.FollowerRate: "7000000"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	c, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: sim.Bootstrap(), Dialer: sim.Dial})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cluster, err := c.Snapshot(t.Context(), plan.Scope{Brokers: []int32{2}, Via: plan.AnyBroker, Space: true})
	if err != nil {
		t.Fatal(err)
	}
	got := []plan.Throttle{cluster.Throttle, cluster.Brokers[0].Throttle, cluster.Brokers[1].Throttle}
	for i, want := range []plan.Throttle{{Follower: 7e6}, {Leader: 5e6, Follower: 1}, {}} {
		if got[i] != want {
			t.Errorf("of the cluster and its brokers: %+v, want %+v at %d", got, want, i)
		}
	}
}
