package kafka_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"drain/plan"
)

// snapshot of the fake, with broker 0 as the drained one, through any other.
func (f *fake) snapshot() plan.Cluster {
	f.t.Helper()
	c := f.dial()
	c.Avoid(0)
	cluster, err := c.Snapshot(f.t.Context(), plan.Scope{Brokers: []int32{0}, Via: -1, Space: true})
	if err != nil {
		f.t.Fatal(err)
	}
	return cluster
}

func view(t *testing.T, c plan.Cluster, of plan.TopicPartition) plan.PartitionView {
	t.Helper()
	i, ok := c.Find(of)
	if !ok {
		t.Fatalf("the snapshot has no %v", of)
	}
	return c.Partition(i)
}

func TestSnapshotOfAHealthyCluster(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.topics = []kmsg.MetadataResponseTopic{
		topic("pay", partition(0, 0, 1), partition(1, 1, 0), partition(1, 1, 2)),
		topic("__consumer_offsets", partition(2, 2)),
	}
	f.dirs[0] = []kmsg.DescribeLogDirsResponseDir{dir("/data", 1000, 300, logs("pay", 11, 22))}
	f.dirs[1] = []kmsg.DescribeLogDirsResponseDir{dir("/b", 700, 70), dir("/a", 500, 50, logs("pay", 10, 24, 99))}
	got := f.snapshot()

	if got.ID != "fake" || got.Mode != plan.KRaft || got.Release != "4.3" || got.MetadataVersion != 30 || got.ELR {
		t.Errorf("cluster: got %s %v %s %d elr %v, want fake kraft 4.3 30 without ELR", got.ID, got.Mode, got.Release, got.MetadataVersion, got.ELR)
	}
	if want := (&plan.Quorum{LeaderID: 100, Voters: []plan.Voter{{ID: 100}}}); !reflect.DeepEqual(got.Quorum, want) {
		t.Errorf("quorum: got %+v, want %+v", got.Quorum, want)
	}
	if len(got.Notes) > 0 {
		t.Errorf("notes: got %v, want none", got.Notes)
	}
	var names []string
	sizes := map[string]int64{}
	for i := range got.NumPartitions() {
		names = append(names, got.Name(i).String())
		sizes[got.Name(i).String()] = got.Partition(i).SizeBytes
	}
	if want := []string{"__consumer_offsets-0", "pay-0", "pay-1", "pay-2"}; !slices.Equal(names, want) {
		t.Errorf("partitions: got %v, want %v", names, want)
	}
	// pay-0 is led by the drained broker, pay-1 by broker 1, which was asked for
	// the leader's log; pay-2 is not on the drained broker, and nobody was asked.
	want := map[string]int64{"pay-0": 11, "pay-1": 24, "pay-2": plan.Unknown, "__consumer_offsets-0": plan.Unknown}
	if !reflect.DeepEqual(sizes, want) {
		t.Errorf("sizes: got %v, want %v", sizes, want)
	}
	host, port := split(t, f.ListenAddrs()[1])
	jbod := plan.Broker{
		ID: 1, Rack: "r1", Host: host, Port: port, CapacityBytes: 1200, UsableBytes: 120,
		LogDirs: []plan.LogDir{
			{Path: "/a", TotalBytes: 500, UsableBytes: 50, Replicas: 3},
			{Path: "/b", TotalBytes: 700, UsableBytes: 70},
		},
	}
	if b, _ := got.Broker(1); !reflect.DeepEqual(b, jbod) {
		t.Errorf("broker 1: got %+v, want %+v", b, jbod)
	}
	if b, _ := got.Broker(7); b.State != plan.Fenced || b.Host != "kafka-7" || b.CapacityBytes != plan.Unknown {
		t.Errorf("broker 7: got %+v, want a fenced one of unknown space", b)
	}
}

func TestABrokerThatDoesNotAnswerIsANoteAndNotAnEmptyBroker(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.topics = []kmsg.MetadataResponseTopic{topic("pay", partition(2, 2, 0))}
	f.dirs[0] = []kmsg.DescribeLogDirsResponseDir{dir("/data", 1000, 300, logs("pay", 11))}
	f.on(kmsg.DescribeLogDirs, func(node int32, req kmsg.Request) (kmsg.Response, error) {
		if node == 2 {
			return nil, errors.New("close the connection")
		}
		resp := req.ResponseKind().(*kmsg.DescribeLogDirsResponse)
		resp.Dirs = f.dirsOf(node, req.(*kmsg.DescribeLogDirsRequest))
		return resp, nil
	})
	got := f.snapshot()
	if b, _ := got.Broker(2); b.CapacityBytes != plan.Unknown || b.UsableBytes != plan.Unknown || !b.Live() {
		t.Errorf("broker 2: got %+v, want a live one of unknown space", b)
	}
	if size := view(t, got, tp("pay", 0)).SizeBytes; size != 11 {
		t.Errorf("size of pay-0: got %d, want the follower's 11, since the leader did not answer", size)
	}
	if len(got.Notes) != 1 || got.Notes[0].Risk != "broker-unread" || got.Notes[0].Broker != 2 || got.Notes[0].Level != plan.Warn {
		t.Errorf("notes: got %+v, want one warning of broker 2", got.Notes)
	}
}

func TestWhatCanNotBeReadOfTheDrainedBrokerBlocks(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on(kmsg.DescribeLogDirs, func(node int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.DescribeLogDirsResponse)
		resp.ErrorCode = kerr.ClusterAuthorizationFailed.Code
		return resp, nil
	})
	var got []string
	for _, n := range f.snapshot().Notes {
		got = append(got, strings.Join([]string{n.Level.String(), n.Risk}, " "))
	}
	// The other two say the same, which is said once.
	if want := []string{"warn broker-unread", "block broker-unread"}; !slices.Equal(got, want) {
		t.Errorf("notes: got %v, want %v", got, want)
	}
}

func TestATopicThatMayNotBeDescribedIsFoundInTheLogDirs(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.topics = []kmsg.MetadataResponseTopic{topic("seen", partition(0, 0, 1))}
	f.hidden = []string{"hidden", "moving"}
	f.moves = []kmsg.ListPartitionReassignmentsResponseTopic{move("moving", 4, []int32{1, 2}, []int32{1}, []int32{2})}
	f.dirs[0] = []kmsg.DescribeLogDirsResponseDir{dir("/data", 1000, 300, logs("seen", 1), logs("hidden", 5, 6), logs("deleted", 7))}
	var got []string
	for _, n := range f.snapshot().Notes {
		got = append(got, strings.Join([]string{n.Level.String(), n.Risk, n.Topic, n.Message}, "|"))
	}
	want := []string{
		"warn|stray-log|deleted|the broker holds partition 0 of a topic that does not exist (any more)",
		"block|hidden-topic|hidden|the broker holds partition 0, 1, which this login can not see: TOPIC_AUTHORIZATION_FAILED: Not authorized to access topics: [Topic authorization failed.]",
		"block|hidden-topic|moving|a reassignment is in flight of partition 4, which this login can not see: TOPIC_AUTHORIZATION_FAILED: Not authorized to access topics: [Topic authorization failed.]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("notes: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A replica list read while a move ends is the trap: [1 2] without the move
// would be planned as factor 2.
func TestAMoveThatEndsWhileThePictureIsTakenIsReadAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.topics = []kmsg.MetadataResponseTopic{topic("log", partition(0, 1, 0))}
	f.moves = []kmsg.ListPartitionReassignmentsResponseTopic{move("log", 0, []int32{1, 0}, []int32{1}, []int32{0})}
	lists := 0
	f.on(kmsg.ListPartitionReassignments, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.ListPartitionReassignmentsResponse)
		resp.Topics = f.moves
		if lists++; lists == 1 { // ended after the first list was read
			f.moves = nil
		} else {
			f.topics = []kmsg.MetadataResponseTopic{topic("log", partition(1, 1))}
		}
		return resp, nil
	})
	got := view(t, f.snapshot(), tp("log", 0))
	if !slices.Equal(got.Replicas, []int32{1}) || got.InFlight() {
		t.Errorf("log-0: got %v adding %v removing %v, want [1] and nothing in flight", got.Replicas, got.Adding, got.Removing)
	}
}

// The controller lists a move as ended before brokers know; who saw it in flight
// knows better than to take its list for the end.
func TestTheListOfAMoveThatWasSeenInFlightIsNotItsEnd(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.topics = []kmsg.MetadataResponseTopic{topic("log", partition(0, 1, 0))}
	f.moves = []kmsg.ListPartitionReassignmentsResponseTopic{move("log", 0, []int32{1, 0}, []int32{1}, []int32{0})}
	c := f.dial()
	if _, err := c.InFlight(t.Context()); err != nil {
		t.Fatal(err)
	}
	looks := 0
	f.on(kmsg.Metadata, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		asked := req.(*kmsg.MetadataRequest)
		if asked.Topics == nil || len(asked.Topics) > 0 {
			looks++
		}
		if looks == 4 {
			f.topics = []kmsg.MetadataResponseTopic{topic("log", partition(1, 1))}
		}
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		f.metadata(asked, resp)
		return resp, nil
	})
	f.mu.Lock()
	f.moves = nil
	f.mu.Unlock()
	cluster, err := c.Snapshot(t.Context(), plan.Scope{Via: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := view(t, cluster, tp("log", 0)).Replicas; !slices.Equal(got, []int32{1}) {
		t.Errorf("log-0: got %v, want [1], where the move has led", got)
	}
}

func TestABrokerThatHasNotHeardOfAMoveIsAskedAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.moves = []kmsg.ListPartitionReassignmentsResponseTopic{move("log", 0, []int32{1, 0}, []int32{1}, []int32{0})}
	looks := 0
	f.on(kmsg.Metadata, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		f.topics = []kmsg.MetadataResponseTopic{topic("log", partition(0, 0))}
		asked := req.(*kmsg.MetadataRequest)
		if asked.Topics == nil || len(asked.Topics) > 0 {
			looks++
		}
		if looks >= 3 { // twice in vain
			f.topics = []kmsg.MetadataResponseTopic{topic("log", partition(0, 1, 0))}
		}
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		f.metadata(asked, resp)
		return resp, nil
	})
	got := f.snapshot()
	p := view(t, got, tp("log", 0))
	if !slices.Equal(p.Replicas, []int32{1, 0}) || !slices.Equal(p.Adding, []int32{1}) || !slices.Equal(p.Removing, []int32{0}) {
		t.Errorf("log-0: got %v adding %v removing %v, want [1 0] [1] [0]", p.Replicas, p.Adding, p.Removing)
	}
	if len(got.Notes) > 0 {
		t.Errorf("notes: got %v, want none", got.Notes)
	}
}

func TestEligibleReplicasComePageByPageForShortTopicsOnly(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.features["eligible.leader.replicas.version"] = 1
	short := partition(-1, 0, 1)
	short.ISR = nil
	f.topics = []kmsg.MetadataResponseTopic{topic("full", partition(0, 0, 1)), topic("log", short, short)}
	f.on(kmsg.DescribeTopicPartitions, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		asked := req.(*kmsg.DescribeTopicPartitionsRequest)
		resp := req.ResponseKind().(*kmsg.DescribeTopicPartitionsResponse)
		part := kmsg.NewDescribeTopicPartitionsResponseTopicPartition()
		part.Replicas, part.LeaderID, part.LeaderEpoch = []int32{0, 1}, -1, 5
		if asked.Cursor == nil {
			part.EligibleLeaderReplicas, part.LastKnownELR = []int32{1}, []int32{0}
			resp.NextCursor = &kmsg.DescribeTopicPartitionsResponseNextCursor{Topic: "log", Partition: 1}
		} else {
			part.Partition, part.LeaderID, part.ISR = asked.Cursor.Partition, 0, []int32{0} // it came back meanwhile
		}
		topic := kmsg.NewDescribeTopicPartitionsResponseTopic()
		topic.Topic = &asked.Topics[0].Topic
		topic.Partitions = append(topic.Partitions, part)
		resp.Topics = append(resp.Topics, topic)
		return resp, nil
	})
	got := f.snapshot()
	if p := view(t, got, tp("log", 0)); p.Leader != plan.NoLeader || len(p.ISR) > 0 || !slices.Equal(p.ELR, []int32{1}) || !slices.Equal(p.LastKnownELR, []int32{0}) {
		t.Errorf("log-0: got %+v, want no leader, no ISR, ELR [1], last known [0]", p)
	}
	if p := view(t, got, tp("log", 1)); p.Leader != 0 || p.LeaderEpoch != 5 || !slices.Equal(p.ISR, []int32{0}) {
		t.Errorf("log-1: got %+v, want the whole state from the second page: leader 0, ISR [0]", p)
	}
	for _, a := range f.requests(kmsg.DescribeTopicPartitions) {
		if names := a.req.(*kmsg.DescribeTopicPartitionsRequest).Topics; len(names) != 1 || names[0].Topic != "log" {
			t.Errorf("asked for %v, want log alone", names)
		}
	}
}

func TestASnapshotWithoutSpaceAsksTheOthersOnce(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.topics = []kmsg.MetadataResponseTopic{topic("pay", partition(1, 1, 0))}
	c := f.dial()
	for range 3 {
		cluster, err := c.Snapshot(t.Context(), plan.Scope{Brokers: []int32{0}, Via: 1})
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := cluster.Broker(2); b.CapacityBytes != plan.Unknown || len(b.LogDirs) > 0 {
			t.Errorf("broker 2: got %+v, want one that was not asked for its disks", b)
		}
	}
	byNode := map[int32]int{}
	for _, a := range f.requests(kmsg.DescribeLogDirs) {
		byNode[a.node]++
	}
	if want := map[int32]int{0: 3}; !reflect.DeepEqual(byNode, want) {
		t.Errorf("DescribeLogDirs by broker: got %v, want %v", byNode, want)
	}
	if all := len(f.requests(kmsg.Metadata)); all < 3 {
		t.Errorf("Metadata was asked for %d times, want at least once a snapshot", all)
	}
}

func TestTheBrokerNamedIsAskedOrNobody(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.dial()
	before := len(f.requests(kmsg.Metadata))
	if _, err := c.Snapshot(t.Context(), plan.Scope{Via: 2}); err != nil {
		t.Fatal(err)
	}
	for _, a := range f.requests(kmsg.Metadata)[before:] {
		if a.node != 2 {
			t.Errorf("broker %d was asked for Metadata, want 2 alone", a.node)
		}
	}
	f.on(kmsg.Metadata, func(node int32, req kmsg.Request) (kmsg.Response, error) {
		if node == 2 {
			return nil, errors.New("close the connection")
		}
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		f.metadata(req.(*kmsg.MetadataRequest), resp)
		return resp, nil
	})
	if _, err := c.Snapshot(t.Context(), plan.Scope{Via: 2}); err == nil || !strings.Contains(err.Error(), "as seen by broker 2") {
		t.Errorf("got %v, want an error that names broker 2", err)
	}
	if _, err := c.Snapshot(t.Context(), plan.Scope{Via: -1}); err != nil {
		t.Errorf("with any broker: got %v, want a picture by another one", err)
	}
}

func TestTheReleaseIsTheOldestOfTheBrokers(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on(kmsg.ApiVersions, func(node int32, req kmsg.Request) (kmsg.Response, error) {
		f.release = kversion.V4_3_0()
		if node == 2 {
			f.release = kversion.V4_1_0()
		}
		resp := req.ResponseKind().(*kmsg.ApiVersionsResponse)
		f.versions(node, resp)
		return resp, nil
	})
	got := f.snapshot()
	if got.Release != "4.1" {
		t.Errorf("got release %q, want 4.1", got.Release)
	}
	if len(got.Notes) != 1 || got.Notes[0].Message != "the brokers speak as releases 4.1 to 4.3" {
		t.Errorf("notes: got %+v, want one that names both releases", got.Notes)
	}
}
