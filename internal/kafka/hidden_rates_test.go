package kafka_test

import (
	"slices"
	"testing"
	"time"

	"drain/internal/kafka"
	"drain/internal/simkafka"
	"drain/plan"
	"drain/reassign"
)

func TestBrokersThatHideRates(t *testing.T) {
	t.Parallel()
	sim, err := simkafka.Start(simkafka.Spec{ZooKeeper: true, Release: "2.4.1", Brokers: []simkafka.Broker{{ID: 1}, {ID: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	ratesAreHidden(t, kafka.Options{Bootstrap: sim.Bootstrap(), Dialer: sim.Dial})
}

// ratesAreHidden sets a rate on a broker that takes it for a secret and deletes
// it again: absent it is not shown, set it is shown without its value, and no
// plan is made that would replace it.
func ratesAreHidden(t *testing.T, o kafka.Options) {
	t.Helper()
	c, err := kafka.Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	change := reassign.Change{Resource: reassign.OfBroker(2), Key: reassign.FollowerRate, Op: reassign.Set, Value: "12345"}
	showsHidden(t, c, false)
	if refused, err := c.AlterConfigs(t.Context(), []reassign.Change{change}); err != nil || refused != nil {
		t.Fatalf("set: refused %v, %v", refused, err)
	}
	showsHidden(t, c, true)
	change.Op, change.Value = reassign.Delete, ""
	if refused, err := c.AlterConfigs(t.Context(), []reassign.Change{change}); err != nil || refused != nil {
		t.Fatalf("delete: refused %v, %v", refused, err)
	}
	showsHidden(t, c, false)
}

// showsHidden waits until the rate of broker 2 is there without a value, or is
// not there, and wants the picture of the cluster to say so.
func showsHidden(t *testing.T, c *kafka.Client, want bool) {
	t.Helper()
	var entries []reassign.Entry
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		configs, err := c.Configs(t.Context(), []reassign.Resource{reassign.OfBroker(2)})
		if err != nil || configs[0].Err != nil {
			t.Fatal(err, configs)
		}
		entries = slices.DeleteFunc(configs[0].Entries, func(e reassign.Entry) bool { return e.Key != reassign.FollowerRate })
		if configs[0].Hides(reassign.FollowerRate, reassign.DynamicBroker) == want && (want || len(entries) == 0) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the rate shows as %+v, want it hidden: %v", entries, want)
		}
	}
	cluster, err := c.Snapshot(t.Context(), plan.Scope{Brokers: []int32{1}, Via: -1, Space: true})
	if err != nil {
		t.Fatal(err)
	}
	notes := slices.DeleteFunc(cluster.Notes, func(f plan.Finding) bool { return f.Risk != "hidden-throttle" })
	if told := len(notes) == 1 && notes[0].Level == plan.Block && notes[0].Broker == 2 && notes[0].Key == reassign.FollowerRate; told != want || len(notes) > 1 {
		t.Errorf("notes: %v, want one about broker 2: %v", notes, want)
	}
}
