package simkafka

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// elect asks for an election of one partition, or of all (empty topic), and
// returns the code of each partition in the answer.
func (r *rig) elect(kind int8, topic string, partition int32) map[string]int16 {
	r.t.Helper()
	req := kmsg.NewPtrElectLeadersRequest()
	req.ElectionType = kind
	if topic != "" {
		asked := kmsg.NewElectLeadersRequestTopic()
		asked.Topic, asked.Partitions = topic, []int32{partition}
		req.Topics = append(req.Topics, asked)
	}
	codes := map[string]int16{}
	for _, t := range ask[*kmsg.ElectLeadersResponse](r, req).Topics {
		for _, p := range t.Partitions {
			codes[plan.TopicPartition{Topic: t.Topic, Partition: p.Partition}.String()] = p.ErrorCode
		}
	}
	return codes
}

func TestElections(t *testing.T) {
	t.Parallel()
	const preferred, unclean = 0, 1
	two := int32(2)
	tests := []struct {
		name   string
		p      Partition
		kind   int8
		code   int16
		leader int32
	}{
		{name: "the preferred leader takes over", p: Partition{Replicas: []int32{1, 2}, Leader: &two}, leader: 1},
		{name: "it leads already", p: Partition{Replicas: []int32{1, 2}}, code: kerr.ElectionNotNeeded.Code, leader: 1},
		{name: "it is out of sync", p: Partition{Replicas: []int32{1, 2}, ISR: []int32{2}, Stuck: []int32{1}}, code: kerr.PreferredLeaderNotAvailable.Code, leader: 2},
		{name: "it is dead", p: Partition{Replicas: []int32{9, 2}, ISR: []int32{9, 2}, Leader: &two}, code: kerr.PreferredLeaderNotAvailable.Code, leader: 2},
		{name: "unclean, and there is a leader", kind: unclean, p: Partition{Replicas: []int32{1, 2}}, code: kerr.ElectionNotNeeded.Code, leader: 1},
		{name: "unclean, and somebody is alive", kind: unclean, p: Partition{Replicas: []int32{9, 2}, ISR: []int32{9}}, leader: 2},
		{name: "unclean, and nobody is", kind: unclean, p: Partition{Replicas: []int32{9}, ISR: []int32{9}}, code: kerr.EligibleLeadersNotAvailable.Code, leader: plan.NoLeader},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := Spec{Brokers: append(brokers(1, 2), Broker{ID: 9, State: plan.Fenced}), Topics: []Topic{{Name: "t", Partitions: []Partition{test.p}}}}
			simulated(t, s, func(t *testing.T, r *rig) {
				if got := r.elect(test.kind, "t", 0)["t-0"]; got != test.code {
					t.Errorf("code: got %d, want %d", got, test.code)
				}
				if got := r.at("t", 0); *got.Leader != test.leader {
					t.Errorf("leader: got %d, want %d", *got.Leader, test.leader)
				}
			})
		})
	}
}

// No topics means every partition of the cluster: the trap of an empty set.
func TestAnElectionOfNothingIsOneOfEverything(t *testing.T) {
	t.Parallel()
	two := int32(2)
	s := Spec{Brokers: brokers(1, 2), Topics: []Topic{
		{Name: "a", Partitions: []Partition{{Replicas: []int32{1, 2}, Leader: &two}, {Replicas: []int32{1, 2}}}},
		{Name: "b", Partitions: []Partition{{Replicas: []int32{1, 2}, Leader: &two}}},
	}}
	simulated(t, s, func(t *testing.T, r *rig) {
		codes := r.elect(0, "", 0)
		if len(codes) != 2 || codes["a-0"] != 0 || codes["b-0"] != 0 {
			t.Errorf("got %v, want a-0 and b-0 elected, and a-1 left out", codes)
		}
	})
}

// The coordinator of a group is the leader of its partition, once it has
// loaded it.
func TestCoordinatorsFollowTheLeader(t *testing.T) {
	t.Parallel()
	s := Spec{Brokers: brokers(1, 2), Topics: []Topic{{Name: "__consumer_offsets", Partitions: []Partition{{Replicas: []int32{1, 2}}}}}}
	simulated(t, s, func(t *testing.T, r *rig) {
		find := kmsg.NewPtrFindCoordinatorRequest()
		find.CoordinatorKeys = []string{"g"}
		describe := kmsg.NewPtrDescribeGroupsRequest()
		describe.Groups = []string{"g"}
		states := func() []int16 {
			var codes []int16
			for _, id := range []int32{1, 2} {
				codes = append(codes, askOf[*kmsg.DescribeGroupsResponse](r, id, describe).Groups[0].ErrorCode)
			}
			return codes
		}
		if got := ask[*kmsg.FindCoordinatorResponse](r, find).Coordinators[0].NodeID; got != 1 {
			t.Errorf("coordinator: got %d, want 1", got)
		}
		if got, want := states(), []int16{0, kerr.NotCoordinator.Code}; !slices.Equal(got, want) {
			t.Errorf("before: got %v, want %v", got, want)
		}
		r.Shutdown(1)
		describe.Groups = []string{"g"}
		if got := askOf[*kmsg.DescribeGroupsResponse](r, 2, describe).Groups[0].ErrorCode; got != kerr.CoordinatorLoadInProgress.Code {
			t.Errorf("the new one at once: got %d, want 14", got)
		}
		r.wait(defaultLoad)
		if got := askOf[*kmsg.DescribeGroupsResponse](r, 2, describe).Groups[0].ErrorCode; got != 0 {
			t.Errorf("the new one, loaded: got %d", got)
		}
	})
}
