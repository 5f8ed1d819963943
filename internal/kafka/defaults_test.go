package kafka

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"drain/plan"
	"drain/reassign"
)

func layered(key string, values ...string) reassign.ResourceConfig {
	var c reassign.ResourceConfig
	for i := 0; i < len(values); i += 2 {
		c.Entries = append(c.Entries, reassign.Entry{Key: key, Layer: reassign.Layer(values[i]), Value: values[i+1]})
	}
	return c
}

func TestMinISRDefault(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		defaults reassign.ResourceConfig
		brokers  []reassign.ResourceConfig
		want     int
	}{
		{name: "nothing is known", want: 1},
		{name: "Kafka's own", brokers: []reassign.ResourceConfig{layered(reassign.MinISR, "default", "1")}, want: 1},
		{name: "a cluster default beats what is static", defaults: layered(reassign.MinISR, "dynamicDefault", "2"),
			brokers: []reassign.ResourceConfig{layered(reassign.MinISR, "dynamicDefault", "2", "static", "3")}, want: 2},
		{name: "the largest static one where they differ", brokers: []reassign.ResourceConfig{
			layered(reassign.MinISR, "static", "2", "default", "1"), layered(reassign.MinISR, "static", "3"), layered(reassign.MinISR, "default", "1")}, want: 3},
		{name: "a broker's own dynamic one counts where it leads", defaults: layered(reassign.MinISR, "dynamicDefault", "2"),
			brokers: []reassign.ResourceConfig{layered(reassign.MinISR, "dynamicBroker", "4", "dynamicDefault", "2")}, want: 4},
		{name: "no number", brokers: []reassign.ResourceConfig{layered(reassign.MinISR, "static", "many")}, want: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := picture{defaults: test.defaults}
			for _, b := range test.brokers {
				p.accounts = append(p.accounts, account{settings: b})
			}
			if got := p.minISRDefault(); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestUncleanDefault(t *testing.T) {
	t.Parallel()
	unread := reassign.ResourceConfig{Err: errors.New("no right")}
	tests := []struct {
		name     string
		mode     plan.ControllerMode
		defaults reassign.ResourceConfig
		brokers  []reassign.ResourceConfig // the last is the controller's
		want     plan.Tristate
	}{
		{name: "nobody says anything", want: plan.Off},
		{name: "the cluster default is on", defaults: layered(unclean, "dynamicDefault", "true"), want: plan.On},
		{name: "the cluster default is off and a broker's static one on", defaults: layered(unclean, "dynamicDefault", "false"),
			brokers: []reassign.ResourceConfig{layered(unclean, "dynamicDefault", "false", "static", "true")}, want: plan.Off},
		{name: "static on a broker tells nothing of the controller", brokers: []reassign.ResourceConfig{layered(unclean, "static", "true")}, want: plan.Maybe},
		{name: "static and off tells nothing either", brokers: []reassign.ResourceConfig{layered(unclean, "static", "false")}, want: plan.Maybe},
		{name: "Kafka's own", brokers: []reassign.ResourceConfig{layered(unclean, "default", "false")}, want: plan.Off},
		{name: "the defaults could not be read", defaults: unread, want: plan.Maybe},
		{name: "ZooKeeper: the controller's static one counts", mode: plan.ZooKeeper,
			brokers: []reassign.ResourceConfig{layered(unclean, "static", "false"), layered(unclean, "static", "true")}, want: plan.On},
		{name: "ZooKeeper: that of another broker does not", mode: plan.ZooKeeper,
			brokers: []reassign.ResourceConfig{layered(unclean, "static", "true"), layered(unclean, "default", "false")}, want: plan.Off},
		{name: "ZooKeeper: the controller does not answer", mode: plan.ZooKeeper,
			brokers: []reassign.ResourceConfig{layered(unclean, "static", "true"), unread}, want: plan.Maybe},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := picture{client: &Client{mode: test.mode}, defaults: test.defaults, meta: &kmsg.MetadataResponse{ControllerID: int32(len(test.brokers))}}
			for i, b := range test.brokers {
				p.accounts = append(p.accounts, account{broker: int32(i + 1), settings: b})
			}
			if got := p.uncleanDefault(); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestVolumesThatMayBeTheSameCountOnce(t *testing.T) {
	t.Parallel()
	dir := func(total, usable int64) plan.LogDir { return plan.LogDir{TotalBytes: total, UsableBytes: usable} }
	tests := []struct {
		name          string
		dirs          []plan.LogDir
		total, usable int64
	}{
		{"one", []plan.LogDir{dir(9, 4)}, 9, 4},
		{"two volumes", []plan.LogDir{dir(9, 4), dir(9, 5)}, 18, 9},
		{"two dirs of one volume", []plan.LogDir{dir(9, 4), dir(9, 4)}, 9, 4},
		{"an offline one does not count", []plan.LogDir{{TotalBytes: -1, UsableBytes: -1, Offline: true}, dir(9, 4)}, 9, 4},
		{"all offline", []plan.LogDir{{TotalBytes: 9, UsableBytes: 4, Offline: true}}, plan.Unknown, plan.Unknown},
		{"before 3.3 nothing is told", []plan.LogDir{dir(-1, -1)}, plan.Unknown, plan.Unknown},
		{"none", nil, plan.Unknown, plan.Unknown},
	}
	for _, test := range tests {
		if total, usable := volumes(test.dirs); total != test.total || usable != test.usable {
			t.Errorf("%s: got %d of %d, want %d of %d", test.name, usable, total, test.usable, test.total)
		}
	}
}

func TestQuorumNamesVotersThatAreBehind(t *testing.T) {
	t.Parallel()
	voter := func(id int32, caughtUp int64) kmsg.DescribeQuorumResponseTopicPartitionReplicaState {
		return kmsg.DescribeQuorumResponseTopicPartitionReplicaState{ReplicaID: id, LastCaughtUpTimestamp: caughtUp}
	}
	part := kmsg.DescribeQuorumResponseTopicPartition{LeaderID: 2, CurrentVoters: []kmsg.DescribeQuorumResponseTopicPartitionReplicaState{
		voter(4, 4_999), voter(3, -1), voter(2, 10_000), voter(1, 5_000),
	}}
	nodes := []kmsg.DescribeQuorumResponseNode{{NodeID: 3, Listeners: []kmsg.DescribeQuorumResponseNodeListener{{Name: "CONTROLLER", Host: "k3"}}}}
	got := quorumOf(part, nodes)
	if got.LeaderID != 2 || len(got.Voters) != 4 || got.Voters[2] != (plan.Voter{ID: 3, Host: "k3"}) {
		t.Errorf("got %+v, want voters 1 to 4 led by 2, the third at k3", got)
	}
	if len(got.Lagging) != 2 || got.Lagging[0] != 3 || got.Lagging[1] != 4 {
		t.Errorf("lagging: got %v, want [3 4]", got.Lagging)
	}
}

func TestNodesAreHeardOfByTheirLastFetch(t *testing.T) {
	t.Parallel()
	node := func(id int32, fetched int64) kmsg.DescribeQuorumResponseTopicPartitionReplicaState {
		return kmsg.DescribeQuorumResponseTopicPartitionReplicaState{ReplicaID: id, LastFetchTimestamp: fetched}
	}
	got := heardOf(kmsg.DescribeQuorumResponseTopicPartition{
		CurrentVoters: []kmsg.DescribeQuorumResponseTopicPartitionReplicaState{node(100, 3_000), node(101, -1)},
		Observers:     []kmsg.DescribeQuorumResponseTopicPartitionReplicaState{node(2, 2_000), node(1, 1_500)},
	})
	want := []plan.Heard{{ID: 1, At: time.UnixMilli(1_500).UTC()}, {ID: 2, At: time.UnixMilli(2_000).UTC()}, {ID: 100, At: time.UnixMilli(3_000).UTC()}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v: sorted, and none that did not fetch yet", got, want)
	}
}

func TestReleaseByWhatIsSpoken(t *testing.T) {
	t.Parallel()
	newer := kversion.V4_4_0()
	newer.SetMaxKeyVersion(int16(kmsg.Metadata), 99)
	for want, versions := range map[[2]int]*kversion.Versions{
		{2, 4}: kversion.V2_4_0(), {2, 8}: kversion.V2_8_0(), {3, 7}: kversion.V3_7_0(), {3, 9}: kversion.V3_9_0(),
		{4, 0}: kversion.V4_0_0(), {4, 1}: kversion.V4_1_0(), {4, 3}: kversion.V4_3_0(), {4, 4}: newer,
	} {
		apis := kmsg.NewPtrApiVersionsResponse()
		versions.EachMaxKeyVersion(func(key, version int16) {
			apis.ApiKeys = append(apis.ApiKeys, kmsg.ApiVersionsResponseApiKey{ApiKey: key, MaxVersion: version})
		})
		if major, minor := releaseOf(apis); major != want[0] || minor != want[1] {
			t.Errorf("got %d.%d, want %d.%d", major, minor, want[0], want[1])
		}
	}
}
