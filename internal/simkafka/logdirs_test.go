package simkafka

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// dirs is what DescribeLogDirs says of a broker, dir by dir.
func (r *rig) dirs(broker int32) map[string]kmsg.DescribeLogDirsResponseDir {
	r.t.Helper()
	all := map[string]kmsg.DescribeLogDirsResponseDir{}
	for _, d := range askOf[*kmsg.DescribeLogDirsResponse](r, broker, kmsg.NewPtrDescribeLogDirsRequest()).Dirs {
		all[d.Dir] = d
	}
	return all
}

func TestLogsGrowWhileTheyAreCopiedAndAreErasedLater(t *testing.T) {
	t.Parallel()
	s := Spec{Brokers: []Broker{{ID: 1, BytesPerSec: 1000}, {ID: 2, Dirs: []Dir{{Path: "/d", Bytes: 100_000, Other: 20_000}}}},
		Topics: []Topic{{Name: "t", Hidden: true, Partitions: []Partition{{Replicas: []int32{1}, Bytes: 10_000}}}}}
	simulated(t, s, func(t *testing.T, r *rig) {
		must(t, r.Reassign(plan.TopicPartition{Topic: "t"}, []int32{2}))
		r.wait(4 * time.Second)
		if got := r.sizes(2)["t-0"]; got != 4000 {
			t.Errorf("after 4 s: %d bytes, want 4000", got)
		}
		if got := r.dirs(2)["/d"]; got.TotalBytes != 100_000 || got.UsableBytes != 76_000 {
			t.Errorf("volume: %d of %d usable", got.UsableBytes, got.TotalBytes)
		}
		r.wait(7 * time.Second)
		if got, ok := r.sizes(1)["t-0"]; ok {
			t.Errorf("the log of the replica that left: %d bytes", got)
		}
		if got := r.sizes(2)["t-0"]; got != 10_000 {
			t.Errorf("the new replica: %d bytes", got)
		}
		for i, want := range []int64{1<<40 - 10_000, 1 << 40} {
			wait := time.Duration(i) * time.Minute
			r.wait(wait)
			if got := r.dirs(1)[defaultDir.Path].UsableBytes; got != want {
				t.Errorf("%v after the replica left: %d bytes usable, want %d", wait, got, want)
			}
		}
	})
}

func TestTheDirWithTheFewestLogsIsTakenUnlessNamedBefore(t *testing.T) {
	t.Parallel()
	s := Spec{Brokers: []Broker{{ID: 1}, {ID: 2, Dirs: []Dir{{Path: "/a", Bytes: 1000}, {Path: "/b", Bytes: 1000}, {Path: "/off", Bytes: 1000, Offline: true}}}},
		Topics: []Topic{
			{Name: "old", Partitions: []Partition{{Replicas: []int32{2}}}},
			{Name: "t", Partitions: []Partition{{Replicas: []int32{1}}, {Replicas: []int32{1}}}},
		}}
	simulated(t, s, func(t *testing.T, r *rig) {
		req := kmsg.NewPtrAlterReplicaLogDirsRequest()
		d := kmsg.NewAlterReplicaLogDirsRequestDir()
		d.Dir = "/a"
		topic := kmsg.NewAlterReplicaLogDirsRequestDirTopic()
		topic.Topic, topic.Partitions = "t", []int32{1}
		d.Topics = append(d.Topics, topic)
		req.Dirs = append(req.Dirs, d)
		got := askOf[*kmsg.AlterReplicaLogDirsResponse](r, 2, req).Topics[0].Partitions[0].ErrorCode
		if got != kerr.ReplicaNotAvailable.Code {
			t.Errorf("naming the dir of a replica to come: got %d, want 9", got)
		}
		for i := range int32(2) {
			must(t, r.Reassign(plan.TopicPartition{Topic: "t", Partition: i}, []int32{2}))
		}
		r.wait(time.Second)
		in := map[string]string{}
		for path, d := range r.dirs(2) {
			for _, topic := range d.Topics {
				for _, p := range topic.Partitions {
					in[plan.TopicPartition{Topic: topic.Topic, Partition: p.Partition}.String()] = path
				}
			}
			if (d.ErrorCode == kerr.KafkaStorageError.Code) != (path == "/off") {
				t.Errorf("%s: code %d", path, d.ErrorCode)
			}
		}
		if in["old-0"] != "/a" || in["t-0"] != "/b" || in["t-1"] != "/a" {
			t.Errorf("got %v, want t-0 in /b (fewest logs) and t-1 in /a (named)", in)
		}
	})
}

func TestAFailedDirTakesItsReplicasOutOfTheISR(t *testing.T) {
	t.Parallel()
	s := Spec{Brokers: []Broker{{ID: 1, Dirs: []Dir{{Path: "/a", Bytes: 1000}, {Path: "/b", Bytes: 1000}}}, {ID: 2}},
		Topics: []Topic{{Name: "t", Partitions: []Partition{{Replicas: []int32{1, 2}}, {Replicas: []int32{1, 2}}}}}}
	simulated(t, s, func(t *testing.T, r *rig) {
		must(t, r.FailDir(1, "/a")) // t-0, since it came first
		if got := r.at("t", 0); *got.Leader != 2 || len(got.ISR) != 1 {
			t.Errorf("t-0: leader %d, ISR %v", *got.Leader, got.ISR)
		}
		if got := r.at("t", 1); *got.Leader != 1 || len(got.ISR) != 2 {
			t.Errorf("t-1: leader %d, ISR %v", *got.Leader, got.ISR)
		}
		for _, topic := range ask[*kmsg.MetadataResponse](r, kmsg.NewPtrMetadataRequest()).Topics {
			if off := topic.Partitions[0].OfflineReplicas; len(off) != 1 || off[0] != 1 {
				t.Errorf("t-0: offline replicas %v, want [1]", off)
			}
		}
	})
}

// A partition is looked at anew when a dir fails, even where the copy in it was
// out of sync: the dir's end was once simulated as that of a broker.
func TestAFailedDirWithACopyOutOfSyncIsLookedAtToo(t *testing.T) {
	t.Parallel()
	s := Spec{Brokers: []Broker{{ID: 1, State: plan.Fenced}, {ID: 2, Dirs: []Dir{{Path: "/a", Bytes: 1000}}}, {ID: 3}},
		Topics: []Topic{{Name: "t", Partitions: []Partition{{Replicas: []int32{1, 2, 3}, ISR: []int32{1}}}}}}
	simulated(t, s, func(t *testing.T, r *rig) {
		must(t, r.SetTopicConfig("t", "unclean.leader.election.enable", new("true")))
		if got := r.at("t", 0); *got.Leader != plan.NoLeader {
			t.Fatalf("leader %d before the dir fails", *got.Leader)
		}
		must(t, r.FailDir(2, "/a"))
		if got := r.at("t", 0); *got.Leader != 3 || len(got.ISR) != 1 {
			t.Errorf("leader %d, ISR %v; want 3, the one whose copy is left", *got.Leader, got.ISR)
		}
	})
}

func TestAStrayLogIsListed(t *testing.T) {
	t.Parallel()
	simulated(t, trio(), func(t *testing.T, r *rig) {
		must(t, r.AddStrayLog(2, plan.TopicPartition{Topic: "log"}, 77))
		if got := r.sizes(2)["log-0"]; got != 77 {
			t.Errorf("got %d bytes, want 77", got)
		}
	})
}

func TestHiddenTopicsAreLeftOutWithoutAWord(t *testing.T) {
	t.Parallel()
	simulated(t, trio(), func(t *testing.T, r *rig) {
		must(t, r.HideTopic("log", true))
		all := ask[*kmsg.MetadataResponse](r, kmsg.NewPtrMetadataRequest()).Topics
		if len(all) != 1 || *all[0].Topic != "pay" {
			t.Errorf("all topics: %+v", all)
		}
		req := kmsg.NewPtrMetadataRequest()
		req.Topics = []kmsg.MetadataRequestTopic{{Topic: new("log")}}
		if got := ask[*kmsg.MetadataResponse](r, req).Topics[0].ErrorCode; got != kerr.TopicAuthorizationFailed.Code {
			t.Errorf("by name: got %d, want 29", got)
		}
		if _, ok := r.sizes(1)["log-0"]; !ok {
			t.Error("the log dirs do not list it")
		}
	})
}
