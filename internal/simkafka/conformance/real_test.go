package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/kafkatest"
	"drain/internal/simkafka"
)

const (
	topicKind  = kmsg.ConfigResourceTypeTopic
	brokerKind = kmsg.ConfigResourceTypeBroker

	set      = kmsg.IncrementalAlterConfigOpSet
	remove   = kmsg.IncrementalAlterConfigOpDelete
	add      = kmsg.IncrementalAlterConfigOpAppend
	subtract = kmsg.IncrementalAlterConfigOpSubtract
)

// sessionTimeout of both clusters.
const sessionTimeout = "3000"

// The same acts on Kafka and on the simulated cluster give the same transcript.
func TestTheSimulatedClusterAnswersAsKafkaDoes(t *testing.T) {
	for _, version := range []string{"4.4.0", "3.9.2"} { // with ELR, and before it
		t.Run(version, func(t *testing.T) { playBoth(t, version) })
	}
}

func playBoth(t *testing.T, version string) {
	kafka := kafkatest.Start(t, kafkatest.Spec{Version: version, Config: map[string]string{
		"broker.session.timeout.ms": sessionTimeout, "auto.leader.rebalance.enable": "false",
	}})
	spec := simkafka.Spec{
		Release: version[:3], Brokers: []simkafka.Broker{{ID: 1}, {ID: 2}, {ID: 3}},
		Static: map[string]string{"broker.session.timeout.ms": sessionTimeout},
	}
	newer := version >= "4.3" // has cordons, and ELR when it is formatted
	if newer {
		spec.ELR, spec.Defaults = true, map[string]string{"min.insync.replicas": "1"} // ELR sets it
	}
	sim, err := simkafka.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	simulated, err := kgo.NewClient(kgo.SeedBrokers(sim.Bootstrap()...))
	if err != nil {
		t.Fatal(err)
	}
	defer simulated.Close()
	theirs := &stage{t: t, newer: newer, cl: kafka.Client(), stop: kafka.Term, kill: kafka.Kill}
	ours := &stage{t: t, newer: newer, cl: simulated, stop: sim.Shutdown, kill: sim.Crash}
	for _, act := range acts {
		if act.newer && !newer {
			continue
		}
		act.play(theirs)
		act.play(ours)
		compare(t, act.name, theirs, ours)
	}
}

func compare(t *testing.T, act string, theirs, ours *stage) {
	t.Helper()
	for i := range max(len(theirs.lines), len(ours.lines)) {
		var want, got string
		if i < len(theirs.lines) {
			want = theirs.lines[i]
		}
		if i < len(ours.lines) {
			got = ours.lines[i]
		}
		if got != want {
			t.Errorf("%s:\nsimulated %s\n    Kafka %s", act, got, want)
		}
	}
	theirs.lines, ours.lines = nil, nil
}

// acts in their order; each goes on from what the ones before have left.
var acts = []struct {
	name  string
	play  func(*stage)
	newer bool // from 4.3 on
}{
	{name: "versions and features", play: versions},
	{name: "topics are made", play: makeTopics},
	{name: "moves that are refused", play: refusedMoves},
	{name: "a move, an election, a cancel", play: moves},
	{name: "settings of topics", play: topicSettings},
	{name: "settings of brokers", play: brokerSettings},
	{name: "log dirs", play: logDirs},
	{name: "a cordon", play: cordon, newer: true},
	{name: "a broker stops, and another is killed", play: losses},
}

func versions(s *stage) {
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "test", "1"
	resp := ask[*kmsg.ApiVersionsResponse](s, req)
	for _, k := range resp.ApiKeys {
		s.say("key %d up to %d", k.ApiKey, k.MaxVersion)
	}
	slices.Sort(s.lines)
	for _, f := range resp.FinalizedFeatures {
		if f.Name == "metadata.version" || f.Name == "eligible.leader.replicas.version" {
			s.say("feature %s %d", f.Name, f.MaxVersionLevel)
		}
	}
	slices.Sort(s.lines)
}

func makeTopics(s *stage) {
	s.create("single", -1, -1, []int32{1}, []int32{2})
	s.create("triple", -1, -1, []int32{1, 2, 3}, []int32{1, 2, 3})
	s.create("triple", 1, 1)
	s.create("wide", 1, 4)
	s.create("counted", 2, 3)
	s.create("strange", -1, -1, []int32{9})
	s.until("isr [1 2 3]", func() string { return s.partition("triple", 0) })
	s.until("isr [1]", func() string { return s.partition("single", 0) })
	s.say("%s", s.partition("none", 0))
	req := kmsg.NewPtrMetadataRequest()
	req.IncludeTopicAuthorizedOperations = true
	for _, name := range []string{"single", "none"} {
		asked := kmsg.NewMetadataRequestTopic()
		asked.Topic = &name
		req.Topics = append(req.Topics, asked)
	}
	unknown := kmsg.NewPtrMetadataRequest()
	unknown.Topics = []kmsg.MetadataRequestTopic{{TopicID: [16]byte{1}}}
	all := append(ask[*kmsg.MetadataResponse](s, req).Topics, ask[*kmsg.MetadataResponse](s, unknown).Topics...)
	slices.SortFunc(all, func(a, b kmsg.MetadataResponseTopic) int { return int(a.ErrorCode) - int(b.ErrorCode) })
	for _, t := range all {
		s.say("metadata of a topic: %s, internal %v, %d partitions, operations %d", code(t.ErrorCode), t.IsInternal, len(t.Partitions), t.AuthorizedOperations)
	}
	cluster := kmsg.NewPtrDescribeClusterRequest()
	cluster.IncludeClusterAuthorizedOperations = true
	s.say("cluster operations %d", ask[*kmsg.DescribeClusterResponse](s, cluster).ClusterAuthorizedOperations)
}

func refusedMoves(s *stage) {
	s.alter("none", 0, []int32{1}, true)
	s.alter("single", 7, []int32{1}, true)
	s.alter("single", 0, []int32{}, true)
	s.alter("single", 0, []int32{2, 2}, true)
	s.alter("single", 0, []int32{-1}, true)
	s.alter("single", 0, []int32{9}, true)
	s.alter("single", 0, nil, true)
	s.alter("triple", 0, []int32{1, 2}, false)
	s.say("%s", s.moves())
	req := kmsg.NewPtrUnregisterBrokerRequest()
	req.BrokerID = 9
	s.say("unregister 9: %s", code(ask[*kmsg.UnregisterBrokerResponse](s, req).ErrorCode))
}

func moves(s *stage) {
	s.alter("single", 0, []int32{3}, false)
	s.until("replicas [3] isr [3]", func() string { return s.partition("single", 0) })
	s.until("in flight: ok", s.moves)
	s.alter("single", 0, []int32{3}, false) // again: nothing to do
	s.alter("single", 0, nil, false)
	s.alter("single", 0, []int32{1}, false) // and back
	s.until("replicas [1] isr [1]", func() string { return s.partition("single", 0) })
	s.alter("triple", 0, []int32{2, 1, 3}, false)
	s.until("replicas [2 1 3]", func() string { return s.partition("triple", 0) })
	s.elect(0, "triple", 1)
	s.elect(1, "triple", 1)
	s.elect(0, "triple", 9)
	s.elect(0, "triple", 0)
	s.until("leader 2", func() string { return s.partition("triple", 0) })
	s.alter("triple", 0, []int32{1, 2, 3}, false)
	s.elect(0, "triple", 0)
	s.until("leader 1 replicas [1 2 3] isr [1 2 3]", func() string { return s.partition("triple", 0) })
}

const leaderList = "leader.replication.throttled.replicas"

func topicSettings(s *stage) {
	list := func() { s.say("%s", s.setting(2, topicKind, "single", leaderList)) }
	list()
	s.configure(2, topicKind, "single", op{leaderList, subtract, "0:1"})
	s.until(`"" from DYNAMIC_TOPIC_CONFIG`, func() string { return s.setting(2, topicKind, "single", leaderList) })
	for _, o := range []op{
		{leaderList, add, "0:1,1:2"}, {leaderList, add, "1:2,5:5"}, {leaderList, subtract, "0:1"}, {leaderList, subtract, "1:2,5:5"}, {leaderList, remove, ""},
		{leaderList, set, "*"}, {leaderList, add, "0:1"}, {leaderList, set, "*,0:1"}, {leaderList, set, "0-1"}, {leaderList, set, " "},
		{leaderList, set, strings.Repeat("0:1,", 8191) + "0:1"}, {leaderList, add, "1:1"},
		{leaderList, remove, ""}, {leaderList, remove, ""},
		{"retention.ms", add, "1"}, {"retention.ms", set, "soon"}, {"no.such.thing", set, "1"}, {"min.insync.replicas", set, "0"}, {"min.insync.replicas", set, "2"},
	} {
		s.configure(2, topicKind, "single", o)
	}
	s.configure(2, topicKind, "single", op{"retention.ms", set, "5000"}, op{"retention.ms", set, "6000"})
	s.configure(2, topicKind, "none", op{"retention.ms", set, "5000"})
	s.until(`"2" from DYNAMIC_TOPIC_CONFIG`, func() string { return s.setting(2, topicKind, "single", "min.insync.replicas") })
	list()
	s.configure(2, topicKind, "single", op{"min.insync.replicas", remove, ""})
	s.until(`"1" from D`, func() string { return s.setting(2, topicKind, "single", "min.insync.replicas") })
	for _, key := range []string{"cleanup.policy", "retention.ms", "unclean.leader.election.enable", "segment.bytes"} {
		s.say("%s", s.setting(2, topicKind, "triple", key))
	}
	s.say("%s", s.setting(2, topicKind, "none", "retention.ms"))
}

const leaderRate = "leader.replication.throttled.rate"

func brokerSettings(s *stage) {
	s.say("%s", s.setting(3, brokerKind, "3", leaderRate))
	s.configure(3, brokerKind, "3", op{leaderRate, set, "1000000"})
	s.until(`"1000000" from DYNAMIC_BROKER_CONFIG`, func() string { return s.setting(3, brokerKind, "3", leaderRate) })
	s.configure(3, brokerKind, "", op{leaderRate, set, "2000000"})
	s.until(`"2000000" from DYNAMIC_DEFAULT`, func() string { return s.setting(1, brokerKind, "", leaderRate) })
	s.until("2000000", func() string { return s.setting(3, brokerKind, "3", leaderRate) })
	s.configure(2, brokerKind, "3", op{leaderRate, set, "1000000"})
	s.configure(2, brokerKind, "three", op{leaderRate, set, "1000000"})
	s.say("%s", s.setting(2, brokerKind, "3", leaderRate))
	s.configure(3, brokerKind, "3", op{leaderRate, set, "-1"})
	s.configure(3, brokerKind, "3", op{leaderRate, set, "fast"})
	if s.newer { // 3.9.2 says UNKNOWN_SERVER_ERROR, which nobody can act on
		s.configure(3, brokerKind, "3", op{leaderRate, add, "1"})
	}
	s.configure(3, brokerKind, "3", op{"min.insync.replicas", set, "1"})
	s.configure(3, brokerKind, "3", op{leaderRate, remove, ""})
	s.configure(3, brokerKind, "", op{leaderRate, remove, ""})
	s.until("ok", func() string {
		line := s.setting(3, brokerKind, "3", leaderRate)
		if strings.Contains(line, "from") {
			return "still there"
		}
		return line
	})
	s.say("%s", s.setting(3, brokerKind, "3", "broker.session.timeout.ms"))
	s.say("%s", s.setting(3, brokerKind, "3", "min.insync.replicas"))
}

func logDirs(s *stage) {
	dirs := askOf[*kmsg.DescribeLogDirsResponse](s, 1, kmsg.NewPtrDescribeLogDirsRequest())
	s.say("log dirs of 1: %s, %d dirs", code(dirs.ErrorCode), len(dirs.Dirs))
	for _, d := range dirs.Dirs {
		s.say("dir: %s, cordoned %v, usable known %v", code(d.ErrorCode), d.IsCordoned, d.UsableBytes > 0 && d.TotalBytes >= d.UsableBytes)
		var logs []string
		for _, t := range d.Topics {
			for _, p := range t.Partitions {
				logs = append(logs, fmt.Sprintf("%s-%d %d future %v lag %d", t.Topic, p.Partition, p.Size, p.IsFuture, p.OffsetLag))
			}
		}
		slices.Sort(logs)
		s.say("%v", logs)
	}
	none := kmsg.NewPtrDescribeLogDirsRequest()
	none.Topics = []kmsg.DescribeLogDirsRequestTopic{}
	s.say("asked for no topic: %d dirs, %d topics", len(dirs.Dirs), len(askOf[*kmsg.DescribeLogDirsResponse](s, 1, none).Dirs[0].Topics))
	for _, dir := range []string{dirs.Dirs[0].Dir, "/no/such/dir"} {
		for number := range int32(2) {
			req := kmsg.NewPtrAlterReplicaLogDirsRequest()
			d := kmsg.NewAlterReplicaLogDirsRequestDir()
			d.Dir = dir
			t := kmsg.NewAlterReplicaLogDirsRequestDirTopic()
			t.Topic, t.Partitions = "single", []int32{number}
			d.Topics = append(d.Topics, t)
			req.Dirs = append(req.Dirs, d)
			got := askOf[*kmsg.AlterReplicaLogDirsResponse](s, 1, req).Topics[0].Partitions[0].ErrorCode
			s.say("single-%d to a dir of 1, one that is there %v: %s", number, dir == dirs.Dirs[0].Dir, code(got))
		}
	}
}

const cordonKey = "cordoned.log.dirs"

func cordon(s *stage) {
	s.configure(3, brokerKind, "3", op{cordonKey, set, "/no/such/dir"})
	s.configure(3, brokerKind, "", op{cordonKey, set, "*"})
	s.configure(3, brokerKind, "3", op{cordonKey, set, "*"})
	cordoned := func() string {
		d := askOf[*kmsg.DescribeLogDirsResponse](s, 3, kmsg.NewPtrDescribeLogDirsRequest())
		return fmt.Sprintf("cordoned: %v", d.Dirs[0].IsCordoned)
	}
	s.until("true", cordoned)
	// The controller learns of it with the next heartbeat.
	s.until("INVALID", func() string {
		before := len(s.lines)
		s.alter("single", 0, []int32{3}, false)
		line := s.lines[before]
		s.lines = s.lines[:before]
		return line
	})
	s.alter("triple", 0, []int32{2, 1, 3}, false)
	s.create("all", 1, 3)
	s.create("onto", -1, -1, []int32{3})
	s.create("pairs", 20, 2)
	for number := range 20 {
		s.say("pairs-%d on 3: %v", number, strings.Contains(s.partition("pairs", number), "3]"))
	}
	s.configure(3, brokerKind, "3", op{cordonKey, remove, ""})
	s.until("false", cordoned)
}

func losses(s *stage) {
	s.stop(3)
	s.until("isr [1 2] elr [] last [] offline [3]", func() string { return s.partition("triple", 1) })
	req := kmsg.NewPtrDescribeClusterRequest()
	req.IncludeFencedBrokers = true
	stopped := "brokers [1 2] fenced []"
	if s.newer { // DescribeCluster v2
		stopped = "brokers [1 2 3] fenced [3]"
	}
	s.until(stopped, func() string {
		var listed, fenced []int32
		for _, b := range ask[*kmsg.DescribeClusterResponse](s, req).Brokers {
			listed = append(listed, b.NodeID)
			if b.IsFenced {
				fenced = append(fenced, b.NodeID)
			}
		}
		return fmt.Sprintf("brokers %v fenced %v", ordered(listed), fenced)
	})
	registered := kmsg.NewPtrListConfigResourcesRequest()
	registered.ResourceTypes = []int8{int8(brokerKind)}
	var names []string
	for _, r := range ask[*kmsg.ListConfigResourcesResponse](s, registered).ConfigResources {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	s.say("registered: %v", names)
	s.alter("single", 1, []int32{3}, false) // onto a fenced broker
	s.until("+[3]", s.moves)
	s.alter("single", 1, nil, false)
	s.until("in flight: ok", s.moves)
	s.elect(0, "triple", 1)
	s.kill(1)
	start := time.Now()
	s.until("leader -1", func() string { return s.partition("single", 0) })
	if took := time.Since(start); took < 2*time.Second || took > 6*time.Second {
		s.t.Errorf("a killed broker is noticed after %v, with a session of %s ms", took, sessionTimeout)
	}
	s.until("leader 2", func() string { return s.partition("triple", 1) })
	s.elect(0, "triple", 1)
	s.elect(1, "single", 0)
	quorum := kmsg.NewPtrDescribeQuorumRequest()
	t := kmsg.NewDescribeQuorumRequestTopic()
	t.Topic = "__cluster_metadata"
	t.Partitions = append(t.Partitions, kmsg.NewDescribeQuorumRequestTopicPartition())
	quorum.Topics = append(quorum.Topics, t)
	got := ask[*kmsg.DescribeQuorumResponse](s, quorum)
	p := got.Topics[0].Partitions[0]
	s.say("quorum: %s, %s, the leader is a voter %v, each voter has a node %v", code(got.ErrorCode), code(p.ErrorCode),
		slices.ContainsFunc(p.CurrentVoters, func(v kmsg.DescribeQuorumResponseTopicPartitionReplicaState) bool { return v.ReplicaID == p.LeaderID }),
		len(got.Nodes) == len(p.CurrentVoters))
}
