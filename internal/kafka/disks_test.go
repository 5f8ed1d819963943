package kafka_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/kafka"
	"drain/plan"
	"drain/reassign"
)

func TestSizesAndSpaceOfABrokerThatDoesNotAnswerAreAbsent(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.dirs[0] = []kmsg.DescribeLogDirsResponseDir{dir("/a", 9, 9, logs("pay", 5, 6)), dir("/b", 9, 9, logs("log", 7))}
	moving := logs("pay", 1)
	moving.Partitions[0].IsFuture = true // on its way to the other dir
	f.dirs[1] = []kmsg.DescribeLogDirsResponseDir{dir("/a", 9, 9, logs("pay", 8)), dir("/b", 9, 9, moving)}
	f.on(kmsg.DescribeLogDirs, func(node int32, req kmsg.Request) (kmsg.Response, error) {
		if node == 2 {
			return nil, errors.New("close the connection")
		}
		resp := req.ResponseKind().(*kmsg.DescribeLogDirsResponse)
		resp.Dirs = f.dirsOf(node, req.(*kmsg.DescribeLogDirsRequest))
		return resp, nil
	})
	c := f.dial()
	of := []plan.TopicPartition{tp("pay", 0), tp("log", 0)}
	space, err := c.Space(t.Context(), []int32{0, 2})
	wantSpace := map[int32][]plan.LogDir{0: {{Path: "/a", TotalBytes: 9, UsableBytes: 9}, {Path: "/b", TotalBytes: 9, UsableBytes: 9}}}
	if err != nil || !reflect.DeepEqual(space, wantSpace) {
		t.Errorf("space: got %v and %v, want %v", space, err, wantSpace)
	}
	if _, err := c.Space(t.Context(), []int32{2}); err == nil {
		t.Error("nobody told its space, and that is no error")
	}
	got, err := c.Sizes(t.Context(), []int32{0, 1, 2}, of)
	want := map[reassign.Replica]int64{
		{TopicPartition: tp("pay", 0), Broker: 0}: 5,
		{TopicPartition: tp("log", 0), Broker: 0}: 7,
		{TopicPartition: tp("pay", 0), Broker: 1}: 8,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v and %v, want %v", got, err, want)
	}
	if got, err := c.Sizes(t.Context(), []int32{2}, of); err == nil {
		t.Errorf("when nobody answers: got %v and no error", got)
	}
}

func TestAReplicaIsPlacedBeforeItExists(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on(kmsg.AlterReplicaLogDirs, func(node int32, req kmsg.Request) (kmsg.Response, error) {
		if node == 2 {
			return nil, errors.New("close the connection")
		}
		resp := req.ResponseKind().(*kmsg.AlterReplicaLogDirsResponse)
		for _, d := range req.(*kmsg.AlterReplicaLogDirsRequest).Dirs {
			for _, topic := range d.Topics {
				rt := kmsg.NewAlterReplicaLogDirsResponseTopic()
				rt.Topic = topic.Topic
				p := kmsg.NewAlterReplicaLogDirsResponseTopicPartition()
				p.Partition, p.ErrorCode = topic.Partitions[0], kerr.ReplicaNotAvailable.Code
				if d.Dir == "/full" {
					p.ErrorCode = kerr.LogDirNotFound.Code
				}
				rt.Partitions = append(rt.Partitions, p)
				resp.Topics = append(resp.Topics, rt)
			}
		}
		return resp, nil
	})
	place := func(topic string, broker int32, dir string) reassign.Placement {
		return reassign.Placement{Replica: reassign.Replica{TopicPartition: tp(topic, 0), Broker: broker}, Dir: dir}
	}
	refused, err := f.dial().Place(t.Context(), []reassign.Placement{place("pay", 1, "/full"), place("log", 1, "/ok"), place("pay", 0, "/ok"), place("pay", 2, "/ok")})
	if len(refused) != 1 || refused[0].Error() != "pay-0: LOG_DIR_NOT_FOUND: on broker 1" {
		t.Errorf("refused: got %v, want pay-0 on broker 1", refused)
	}
	if err == nil {
		t.Error("broker 2 did not answer, and there is no error")
	}
}

func TestLogsOfABroker(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	moving := logs("pay", 1)
	moving.Partitions[0].IsFuture = true
	dead := dir("/c", -1, -1)
	dead.ErrorCode = kerr.KafkaStorageError.Code
	f.dirs[1] = []kmsg.DescribeLogDirsResponseDir{dead, dir("/b", 9, 9, logs("pay", 5, 6), logs("hidden", 1)), dir("/a", 9, 9, moving)}
	c := f.dial()
	got, offline, err := c.Logs(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := []plan.TopicPartition{tp("hidden", 0), tp("pay", 0), tp("pay", 1)}; !slices.Equal(got, want) {
		t.Errorf("logs: got %v, want %v", got, want)
	}
	if want := []string{"/c"}; !slices.Equal(offline, want) {
		t.Errorf("offline: got %v, want %v", offline, want)
	}
	f.mu.Lock()
	f.dirs[1] = nil // how v2 and before says that the right is missing
	f.mu.Unlock()
	if logs, _, err := c.Logs(t.Context(), 1); !errors.Is(err, kafka.ErrAuthorization) {
		t.Errorf("without any dir: got %v and %v, want %v", logs, err, kafka.ErrAuthorization)
	}
}

func TestABrokerIsCordonedWhenAllItsDirsAre(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	half, whole := dir("/a", 9, 9), dir("/b", 9, 9)
	whole.IsCordoned = true
	c := f.dial()
	for want, dirs := range map[bool][]kmsg.DescribeLogDirsResponseDir{true: {whole, whole}, false: {half, whole}} {
		f.mu.Lock()
		f.dirs[0] = dirs
		f.mu.Unlock()
		cluster, err := c.Snapshot(t.Context(), plan.Scope{Brokers: []int32{0}, Via: plan.AnyBroker})
		if b, _ := cluster.Broker(0); b.Cordoned != want || err != nil {
			t.Errorf("got %v and %v, want %v", b.Cordoned, err, want)
		}
	}
}
