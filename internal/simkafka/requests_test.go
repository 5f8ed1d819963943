package simkafka

import (
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// Null lists all moves, an empty list none, and kadm asks nothing for an empty
// set: the three look alike and are not.
func TestListingMoves(t *testing.T) {
	t.Parallel()
	simulated(t, pair(), func(t *testing.T, r *rig) {
		r.alter("t", 0, []int32{2})
		for _, list := range []struct {
			topics []kmsg.ListPartitionReassignmentsRequestTopic
			want   int
		}{{nil, 1}, {[]kmsg.ListPartitionReassignmentsRequestTopic{}, 0}, {[]kmsg.ListPartitionReassignmentsRequestTopic{{Topic: "t", Partitions: []int32{1}}}, 0}} {
			req := kmsg.NewPtrListPartitionReassignmentsRequest()
			req.Topics = list.topics
			if got := ask[*kmsg.ListPartitionReassignmentsResponse](r, req).Topics; len(got) != list.want {
				t.Errorf("%v: got %d topics, want %d", list.topics, len(got), list.want)
			}
		}
		if got, err := r.adm.ListPartitionReassignments(t.Context(), kadm.TopicsSet{}); err != nil || len(got) != 0 {
			t.Errorf("kadm with an empty set: %v, %v", got, err)
		}
	})
}

func TestRefusedMoves(t *testing.T) {
	t.Parallel()
	simulated(t, trio(), func(t *testing.T, r *rig) {
		for _, test := range []struct {
			name      string
			topic     string
			partition int32
			target    []int32
			want      *kerr.Error
		}{
			{"an unknown topic", "none", 0, []int32{2}, kerr.UnknownTopicOrPartition},
			{"an unknown partition", "log", 1, []int32{2}, kerr.UnknownTopicOrPartition},
			{"no replica", "log", 0, []int32{}, kerr.InvalidReplicaAssignment},
			{"a broker twice", "log", 0, []int32{2, 2}, kerr.InvalidReplicaAssignment},
			{"a negative broker", "log", 0, []int32{-1}, kerr.InvalidReplicaAssignment},
			{"an unknown broker", "log", 0, []int32{9}, kerr.InvalidReplicaAssignment},
			{"nothing to cancel", "log", 0, nil, kerr.NoReassignmentInProgress},
		} {
			if got := r.alter(test.topic, test.partition, test.target); got != test.want.Code {
				t.Errorf("%s: got %d, want %d", test.name, got, test.want.Code)
			}
		}
	})
}

// A fenced destination is accepted, and the move waits for it.
func TestAMoveToADeadBrokerWaits(t *testing.T) {
	t.Parallel()
	simulated(t, trio(), func(t *testing.T, r *rig) {
		r.Shutdown(3)
		r.wait(6 * time.Second) // and the client forgets where it was
		if code := r.alter("log", 0, []int32{3}); code != 0 {
			t.Fatalf("alter: %d", code)
		}
		r.wait(time.Hour)
		if got := r.at("log", 0); !slices.Equal(got.Adding, []int32{3}) {
			t.Errorf("in flight: %+v", got)
		}
		r.StartBroker(3)
		r.wait(time.Second)
		if got := r.at("log", 0); !slices.Equal(got.Replicas, []int32{3}) || *got.Leader != 3 {
			t.Errorf("after its return: %+v", got)
		}
	})
}

func TestTheReplicationFactorCanBeKept(t *testing.T) {
	t.Parallel()
	simulated(t, trio(), func(t *testing.T, r *rig) {
		req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
		req.AllowReplicationFactorChange = false
		topic := kmsg.NewAlterPartitionAssignmentsRequestTopic()
		topic.Topic = "pay"
		topic.Partitions = []kmsg.AlterPartitionAssignmentsRequestTopicPartition{{Replicas: []int32{1, 2}}}
		req.Topics = append(req.Topics, topic)
		got := ask[*kmsg.AlterPartitionAssignmentsResponse](r, req).Topics[0].Partitions[0].ErrorCode
		if got != kerr.InvalidReplicationFactor.Code {
			t.Errorf("got %d, want 38", got)
		}
	})
}

// The partitions after the 10,000th are refused without a word, the others go.
func TestTenThousandMovesARequest(t *testing.T) {
	t.Parallel()
	const n = 10_003
	s := Spec{Brokers: brokers(1, 2), Topics: []Topic{{Name: "big"}}}
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	topic := kmsg.NewAlterPartitionAssignmentsRequestTopic()
	topic.Topic = "big"
	for i := range int32(n) {
		s.Topics[0].Partitions = append(s.Topics[0].Partitions, Partition{Replicas: []int32{1}})
		topic.Partitions = append(topic.Partitions, kmsg.AlterPartitionAssignmentsRequestTopicPartition{Partition: i, Replicas: []int32{2}})
	}
	req.Topics = append(req.Topics, topic)
	simulated(t, s, func(t *testing.T, r *rig) {
		codes := map[int16]int{}
		for _, p := range ask[*kmsg.AlterPartitionAssignmentsResponse](r, req).Topics[0].Partitions {
			codes[p.ErrorCode]++
		}
		if codes[0] != 10_000 || codes[kerr.UnknownServerError.Code] != 3 {
			t.Errorf("codes: %v", codes)
		}
	})
}

// New partitions of a topic copy the length of its first list, moves in flight
// included: the factor is inflated.
func TestNewPartitionsCopyALongerList(t *testing.T) {
	t.Parallel()
	simulated(t, pair(), func(t *testing.T, r *rig) {
		r.alter("t", 0, []int32{2})
		must(t, r.AddPartitions("t", 3))
		if got := r.at("t", 2).Replicas; len(got) != 2 {
			t.Errorf("replicas of the new partition: %v, want two", got)
		}
	})
}

func TestDescribeTopicPartitionsPageByPage(t *testing.T) {
	t.Parallel()
	s := Spec{Brokers: brokers(1), Topics: []Topic{
		{Name: "b", Partitions: []Partition{{Replicas: []int32{1}}, {Replicas: []int32{1}}, {Replicas: []int32{1}}}},
		{Name: "a", Partitions: []Partition{{Replicas: []int32{1}}}},
		{Name: "hidden", Hidden: true, Partitions: []Partition{{Replicas: []int32{1}}}},
	}}
	simulated(t, s, func(t *testing.T, r *rig) {
		req := kmsg.NewPtrDescribeTopicPartitionsRequest()
		req.ResponsePartitionLimit = 2
		var pages [][]string
		for {
			resp := ask[*kmsg.DescribeTopicPartitionsResponse](r, req)
			var page []string
			for _, topic := range resp.Topics {
				for _, p := range topic.Partitions {
					page = append(page, plan.TopicPartition{Topic: *topic.Topic, Partition: p.Partition}.String())
				}
			}
			pages = append(pages, page)
			if resp.NextCursor == nil {
				break
			}
			req.Cursor = &kmsg.DescribeTopicPartitionsRequestCursor{Topic: resp.NextCursor.Topic, Partition: resp.NextCursor.Partition}
		}
		if len(pages) != 2 || !slices.Equal(pages[0], []string{"a-0", "b-0"}) || !slices.Equal(pages[1], []string{"b-1", "b-2"}) {
			t.Errorf("got %v", pages)
		}
	})
}

// A topic made anew under its name has another id, and nothing is in flight.
func TestATopicDeletedAndMadeAnew(t *testing.T) {
	t.Parallel()
	simulated(t, pair(), func(t *testing.T, r *rig) {
		r.alter("t", 0, []int32{2})
		before := r.State().Topics[0].ID
		must(t, r.DeleteTopic("t"))
		must(t, r.CreateTopic(Topic{Name: "t", Partitions: []Partition{{Replicas: []int32{1}}}}))
		after := r.State().Topics[0]
		if after.ID == before || r.inFlight() != nil {
			t.Errorf("id %x after %x, in flight %v", after.ID, before, r.inFlight())
		}
		if code := r.alter("t", 1, []int32{2}); code != kerr.UnknownTopicOrPartition.Code {
			t.Errorf("a partition of the old one: %d", code)
		}
	})
}

// A broker that lags shows the longer list after List is empty already: a plan
// made from it would inflate the factor.
func TestMetadataThatLags(t *testing.T) {
	t.Parallel()
	s := pair()
	s.Timing.Lag = 3 * time.Second
	simulated(t, s, func(t *testing.T, r *rig) {
		replicas := func() []int32 {
			return ask[*kmsg.MetadataResponse](r, kmsg.NewPtrMetadataRequest()).Topics[0].Partitions[0].Replicas
		}
		r.alter("t", 0, []int32{2})
		if got := replicas(); !slices.Equal(got, []int32{1}) {
			t.Errorf("at once: %v, want what was before", got)
		}
		r.wait(10*time.Second + 200*time.Millisecond)
		if got, moving := replicas(), r.inFlight(); !slices.Equal(got, []int32{2, 1}) || moving != nil {
			t.Errorf("after the move: %v, in flight %v", got, moving)
		}
		r.wait(3 * time.Second)
		if got := replicas(); !slices.Equal(got, []int32{2}) {
			t.Errorf("3 s later: %v", got)
		}
	})
}
