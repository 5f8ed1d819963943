package kafka_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/kafka"
	"drain/plan"
	"drain/reassign"
)

func target(topic string, partition int32, replicas ...int32) reassign.Target {
	return reassign.Target{TopicPartition: tp(topic, partition), Replicas: replicas}
}

func TestAlterSendsTargetsAndCancelsInOneRequest(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on(kmsg.AlterPartitionAssignments, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.AlterPartitionAssignmentsResponse)
		answer := func(topic string, partition int32, code int16, words string) {
			p := kmsg.NewAlterPartitionAssignmentsResponseTopicPartition()
			p.Partition, p.ErrorCode = partition, code
			if words != "" {
				p.ErrorMessage = &words
			}
			rt := kmsg.NewAlterPartitionAssignmentsResponseTopic()
			rt.Topic, rt.Partitions = topic, append(rt.Partitions, p)
			resp.Topics = append(resp.Topics, rt)
		}
		answer("pay", 1, kerr.InvalidReplicaAssignment.Code, "no broker 9")
		answer("pay", 0, 0, "")
		answer("log", 0, kerr.NoReassignmentInProgress.Code, "") // a cancel: it has ended
		answer("log", 1, kerr.NoReassignmentInProgress.Code, "") // no cancel
		return resp, nil
	})
	c := f.dial()
	refused, err := c.Alter(t.Context(), []reassign.Target{target("pay", 0, 1, 2), target("log", 0), target("pay", 1, 9, 2), target("log", 1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range refused {
		got = append(got, r.Error())
	}
	if want := []string{"log-1: NO_REASSIGNMENT_IN_PROGRESS", "pay-1: INVALID_REPLICA_ASSIGNMENT: no broker 9"}; !slices.Equal(got, want) {
		t.Errorf("refused: got %q, want %q", got, want)
	}
	requests := f.requests(kmsg.AlterPartitionAssignments)
	if len(requests) != 1 {
		t.Fatalf("got %d requests, want 1", len(requests))
	}
	req := requests[0].req.(*kmsg.AlterPartitionAssignmentsRequest)
	if req.AllowReplicationFactorChange {
		t.Error("the request lets the replication factor change")
	}
	sent := map[string]string{}
	for _, topic := range req.Topics {
		for _, p := range topic.Partitions {
			sent[fmt.Sprint(topic.Topic, "-", p.Partition)] = fmt.Sprintf("%v nil=%v", p.Replicas, p.Replicas == nil)
		}
	}
	want := map[string]string{"pay-0": "[1 2] nil=false", "pay-1": "[9 2] nil=false", "log-0": "[] nil=true", "log-1": "[1] nil=false"}
	if !reflect.DeepEqual(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
}

func TestARefusalOfTheWholeRequestIsAnError(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on(kmsg.AlterPartitionAssignments, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.AlterPartitionAssignmentsResponse)
		resp.ErrorCode = kerr.ClusterAuthorizationFailed.Code
		return resp, nil
	})
	refused, err := f.dial().Alter(t.Context(), []reassign.Target{target("pay", 0, 1)})
	if !errors.Is(err, kafka.ErrAuthorization) || refused != nil {
		t.Errorf("got %v, %v; want an authorization error alone", refused, err)
	}
}

// With nothing named, ElectLeaders takes every partition of the cluster, and
// Metadata every topic.
func TestNothingAskedForAsksNothing(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.dial()
	before := len(f.requests(kmsg.Metadata))
	refused, err := c.Alter(t.Context(), nil)
	failed, err2 := c.Elect(t.Context(), nil)
	states, err3 := c.Partitions(t.Context(), nil)
	loading, err4 := c.Loading(t.Context(), nil)
	if n := len(refused) + len(failed) + len(states) + len(loading); n > 0 || errors.Join(err, err2, err3, err4) != nil {
		t.Errorf("got %d answers and %v, want none", n, errors.Join(err, err2, err3, err4))
	}
	for _, key := range []kmsg.Key{kmsg.AlterPartitionAssignments, kmsg.ElectLeaders} {
		if n := len(f.requests(key)); n > 0 {
			t.Errorf("%s was sent %d times, want never", key.Name(), n)
		}
	}
	if n := len(f.requests(kmsg.Metadata)) - before; n > 0 {
		t.Errorf("Metadata was sent %d times, want never", n)
	}
}

func TestAnElectionThatIsNotNeededIsNoFailure(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on(kmsg.ElectLeaders, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		asked := req.(*kmsg.ElectLeadersRequest)
		if asked.ElectionType != 0 {
			t.Errorf("election type %d, want 0 (preferred)", asked.ElectionType)
		}
		codes := []int16{kerr.PreferredLeaderNotAvailable.Code, 0, kerr.ElectionNotNeeded.Code}
		resp := req.ResponseKind().(*kmsg.ElectLeadersResponse)
		for _, topic := range asked.Topics {
			rt := kmsg.NewElectLeadersResponseTopic()
			rt.Topic = topic.Topic
			for i, number := range topic.Partitions {
				p := kmsg.NewElectLeadersResponseTopicPartition()
				p.Partition, p.ErrorCode = number, codes[i]
				rt.Partitions = append(rt.Partitions, p)
			}
			resp.Topics = append(resp.Topics, rt)
		}
		return resp, nil
	})
	failed, err := f.dial().Elect(t.Context(), []plan.TopicPartition{tp("pay", 5), tp("pay", 1), tp("pay", 2)})
	if err != nil {
		t.Fatal(err)
	}
	if len(failed) != 1 || failed[0].TopicPartition != tp("pay", 5) || failed[0].Name != "PREFERRED_LEADER_NOT_AVAILABLE" {
		t.Errorf("failed: got %v, want pay-5 alone", failed)
	}
}

func TestInFlightListsAllOfTheCluster(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.moves = []kmsg.ListPartitionReassignmentsResponseTopic{
		move("pay", 3, []int32{1, 2}, []int32{1}, []int32{2}),
		move("log", 0, []int32{0, 2}, []int32{0}, []int32{2}),
	}
	got, err := f.dial().InFlight(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []reassign.InFlight{
		{TopicPartition: tp("log", 0), Replicas: []int32{0, 2}, Adding: []int32{0}, Removing: []int32{2}},
		{TopicPartition: tp("pay", 3), Replicas: []int32{1, 2}, Adding: []int32{1}, Removing: []int32{2}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, a := range f.requests(kmsg.ListPartitionReassignments) {
		if topics := a.req.(*kmsg.ListPartitionReassignmentsRequest).Topics; topics != nil {
			t.Errorf("asked for %v, want null: an empty list asks for none", topics)
		}
	}
}

func TestAPartitionThatIsGoneIsAStateAndOneThatIsHiddenAnError(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	whole := partition(2, 2, 1)
	whole.LeaderEpoch, whole.OfflineReplicas, whole.ISR = 4, []int32{1}, []int32{2}
	f.topics = []kmsg.MetadataResponseTopic{topic("pay", whole, partition(-2, 0))}
	f.topics[0].TopicID = [16]byte{9}
	f.hidden = []string{"hidden"}
	c := f.dial()
	got, err := c.Partitions(t.Context(), []plan.TopicPartition{tp("pay", 7), tp("pay", 1), tp("gone", 0), tp("pay", 0)})
	if err != nil {
		t.Fatal(err)
	}
	want := []reassign.PartitionState{
		{TopicPartition: tp("gone", 0), Gone: true, Leader: plan.NoLeader, LeaderEpoch: -1},
		{TopicPartition: tp("pay", 0), TopicID: [16]byte{9}, Leader: 2, LeaderEpoch: 4, Replicas: []int32{2, 1}, ISR: []int32{2}, Offline: []int32{1}},
		{TopicPartition: tp("pay", 1), TopicID: [16]byte{9}, Leader: plan.NoLeader, LeaderEpoch: -1, Replicas: []int32{0}, ISR: []int32{0}},
		{TopicPartition: tp("pay", 7), Gone: true, Leader: plan.NoLeader, LeaderEpoch: -1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%#v, want\n%#v", got, want)
	}
	if _, err := c.Partitions(t.Context(), []plan.TopicPartition{tp("hidden", 0)}); !errors.Is(err, kafka.ErrAuthorization) {
		t.Errorf("hidden: got %v, want %v", err, kafka.ErrAuthorization)
	}
}
