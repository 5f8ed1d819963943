package kafka_test

import (
	"slices"
	"testing"
	"time"

	"drain/internal/kafka"
	"drain/internal/kafkatest"
	"drain/plan"
	"drain/reassign"
)

// TestRealZooKeeperCluster tries what differs in the older mode.
func TestRealZooKeeperCluster(t *testing.T) {
	kc := kafkatest.Start(t, kafkatest.Spec{Version: "2.8.2", ZooKeeper: true, Brokers: kafkatest.Brokers(3, "a", "b", "c")})
	kc.CreateTopic("log", map[int32][]int32{0: {1}}, map[string]string{"retention.ms": "100000000"})
	kc.CreateTopic("pay", map[int32][]int32{0: {1, 2}}, nil)
	c, err := kafka.Dial(t.Context(), kafka.Options{Bootstrap: []string{kc.BootstrapOf(1)}, Timeout: 4 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Avoid(1)
	r := realCluster{T: t, Cluster: kc, c: c}
	got := r.sameAsJudge(plan.Scope{Brokers: []int32{1}, Via: -1, Space: true, Rights: true})
	if got.Mode != plan.ZooKeeper || got.Release != "2.8" || got.Quorum != nil || got.MetadataVersion != 0 || got.ELR {
		t.Errorf("got %v %s, quorum %v, metadata version %d, elr %v; want ZooKeeper 2.8 and nothing of KRaft",
			got.Mode, got.Release, got.Quorum, got.MetadataVersion, got.ELR)
	}
	if !slices.Contains([]int32{1, 2, 3}, got.ControllerID) || got.UncleanDefault != plan.Off {
		t.Errorf("got controller %d, unclean %v; want a broker, and off by its own word", got.ControllerID, got.UncleanDefault)
	}
	if b, _ := got.Broker(2); b.CapacityBytes != plan.Unknown {
		t.Errorf("broker 2: got %d bytes, want unknown: volumes are told from 3.3 on", b.CapacityBytes)
	}
	if timeout, err := c.SessionTimeout(t.Context()); err != nil || timeout != 3*time.Second {
		t.Errorf("session timeout: got %v and %v, want the harness's 3s", timeout, err)
	}
	if lacks := missingRights(t, got); lacks != nil {
		t.Errorf("got %q without an authorizer, want all rights", lacks)
	}
	r.settingsRoundTrip()
	r.move(target("log", 0, 3), target("pay", 0, 2, 3))
	if failed, err := c.Elect(t.Context(), []plan.TopicPartition{tp("pay", 0)}); err != nil || failed != nil {
		t.Errorf("elect: failed %v, %v", failed, err)
	}
	r.soon("led by 2", func() error { return r.ledBy(tp("pay", 0), 2) })
	if refused, err := c.Alter(t.Context(), []reassign.Target{target("pay", 0)}); err != nil || refused != nil {
		t.Errorf("cancel of nothing: refused %v, %v", refused, err)
	}
}

// TestRealBrokersThatHideRates holds 2.4.1 to what the simulated cluster makes of
// it.
func TestRealBrokersThatHideRates(t *testing.T) {
	kc := kafkatest.Start(t, kafkatest.Spec{Version: "2.4.1", ZooKeeper: true, Brokers: kafkatest.Brokers(2)})
	ratesAreHidden(t, kafka.Options{Bootstrap: kc.Bootstrap()})
}
