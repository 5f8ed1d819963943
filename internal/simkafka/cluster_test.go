package simkafka

import (
	"errors"
	"net"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"drain/plan"
)

// The embedded cluster over real sockets: a broker that is told to stop from
// outside leaves Metadata and closes its port, and the topic with one replica
// is left without a leader, as in the incident.
func TestStopBrokerTakesItOutOfTheCluster(t *testing.T) {
	t.Parallel()
	s, err := Named("log-cluster")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(s)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := StopBroker(c.ControlAddr(), 1); err != nil {
		t.Fatal(err)
	}
	m, err := kadm.NewClient(cl).Metadata(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Brokers.NodeIDs(); len(got) != 6 || got[0] != 2 {
		t.Errorf("brokers: got %v, want 2 to 7", got)
	}
	leaderless := 0
	m.Topics.EachPartition(func(p kadm.PartitionDetail) {
		if p.Leader == plan.NoLeader {
			leaderless++
		}
	})
	if leaderless != 12 {
		t.Errorf("leaderless: got %d, want 12", leaderless)
	}
	var refused *net.OpError
	if _, err := net.Dial("tcp", c.brokers[0].address()); !errors.As(err, &refused) {
		t.Errorf("dial the stopped broker: got %v, want a refusal", err)
	}
}
