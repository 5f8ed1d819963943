package simkafka

import (
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

const alterKey = kmsg.AlterPartitionAssignments

// alterBoth moves t-0 and t-1 to broker 2 in one request.
func alterBoth() *kmsg.AlterPartitionAssignmentsRequest {
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	t := kmsg.NewAlterPartitionAssignmentsRequestTopic()
	t.Topic = "t"
	for i := range int32(2) {
		p := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
		p.Partition, p.Replicas = i, []int32{2}
		t.Partitions = append(t.Partitions, p)
	}
	req.Topics = append(req.Topics, t)
	return req
}

func pair() Spec {
	return Spec{Brokers: []Broker{{ID: 1, BytesPerSec: 1000}, {ID: 2}}, Topics: []Topic{{Name: "t", Partitions: []Partition{
		{Replicas: []int32{1}, Bytes: 10_000}, {Replicas: []int32{1}, Bytes: 10_000},
	}}}}
}

// inFlight names the partitions that move.
func (r *rig) inFlight() []string {
	var all []string
	for _, t := range r.State().Topics {
		for _, p := range t.Partitions {
			if len(p.Adding)+len(p.Removing) > 0 {
				all = append(all, plan.TopicPartition{Topic: t.Name, Partition: p.Number}.String())
			}
		}
	}
	return all
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault Fault
		codes []int16 // of t-0 and t-1; nil: no answer
		top   int16
		moves []string
	}{
		{name: "one partition is refused", fault: Fault{Topic: "t", Partitions: []int32{1}, Code: kerr.InvalidReplicaAssignment.Code},
			codes: []int16{0, kerr.InvalidReplicaAssignment.Code}, moves: []string{"t-0"}},
		{name: "the whole request is refused", fault: Fault{Code: kerr.ClusterAuthorizationFailed.Code}, codes: []int16{}, top: kerr.ClusterAuthorizationFailed.Code},
		{name: "the connection is cut before", fault: Fault{DropBefore: true}},
		{name: "the connection is cut after", fault: Fault{DropAfter: true}, moves: []string{"t-0", "t-1"}},
		{name: "another broker is meant", fault: Fault{Brokers: []int32{7}, DropBefore: true}, codes: []int16{0, 0}, moves: []string{"t-0", "t-1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			simulated(t, pair(), func(t *testing.T, r *rig) {
				test.fault.Keys = []kmsg.Key{alterKey}
				r.Inject(test.fault)
				resp, err := r.cl.Broker(1).Request(t.Context(), alterBoth())
				if (err != nil) != (test.codes == nil) {
					t.Fatalf("error %v", err)
				}
				if err == nil {
					got := resp.(*kmsg.AlterPartitionAssignmentsResponse)
					codes := []int16{}
					for _, topic := range got.Topics {
						for _, p := range topic.Partitions {
							codes = append(codes, p.ErrorCode)
						}
					}
					if got.ErrorCode != test.top || !slices.Equal(codes, test.codes) {
						t.Errorf("codes: got %d and %v, want %d and %v", got.ErrorCode, codes, test.top, test.codes)
					}
				}
				if got := r.inFlight(); !slices.Equal(got, test.moves) {
					t.Errorf("in flight: got %v, want %v", got, test.moves)
				}
			})
		})
	}
}

func TestAFaultIsSpentOrRemoved(t *testing.T) {
	t.Parallel()
	simulated(t, pair(), func(t *testing.T, r *rig) {
		code := kerr.ClusterAuthorizationFailed.Code
		r.Inject(Fault{Keys: []kmsg.Key{alterKey}, Code: code, Times: 2})
		var got []int16
		for range 3 {
			got = append(got, r.alter("t", 0, []int32{2}))
		}
		remove := r.Inject(Fault{Keys: []kmsg.Key{alterKey}, Code: code, Times: -1})
		got = append(got, r.alter("t", 0, []int32{2}))
		remove()
		got = append(got, r.alter("t", 0, []int32{2}))
		if want := []int16{code, code, 0, code, 0}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestAHeldRequestLetsOthersPass(t *testing.T) {
	t.Parallel()
	simulated(t, pair(), func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.Inject(Fault{Keys: []kmsg.Key{alterKey}, Hold: release})
		done := make(chan int16)
		go func() { done <- r.alter("t", 0, []int32{2}) }()
		r.wait(time.Second)
		if got := r.listed(); len(got) != 2 {
			t.Errorf("another request meanwhile: %v", got)
		}
		if got := r.inFlight(); got != nil {
			t.Errorf("in flight before it is released: %v", got)
		}
		close(release)
		if code := <-done; code != 0 {
			t.Errorf("code %d", code)
		}
	})
}

// Every mutating request is kept, with its answer, whoever asked.
func TestRequestsAreRecorded(t *testing.T) {
	t.Parallel()
	simulated(t, pair(), func(t *testing.T, r *rig) {
		var seen []bool
		r.OnRequest(func(c Call, after bool) {
			if c.Mutating() {
				seen = append(seen, after)
			}
		})
		r.alter("t", 0, []int32{2})
		r.listed()
		r.Inject(Fault{Keys: []kmsg.Key{kmsg.ElectLeaders}, DropBefore: true})
		req := kmsg.NewPtrElectLeadersRequest()
		if _, err := r.cl.Broker(2).Request(t.Context(), req); err == nil {
			t.Error("the election was answered")
		}
		got := r.Requests()
		if len(got) != 2 || got[0].Request.Key() != 45 || got[0].Response == nil ||
			got[1].Request.Key() != 43 || got[1].Broker != 2 || got[1].Response != nil {
			t.Errorf("got %+v", got)
		}
		if want := []bool{false, true, false}; !slices.Equal(seen, want) {
			t.Errorf("the hook saw %v, want %v", seen, want)
		}
	})
}

// While the controller is replaced, what needs it times out and changes
// nothing; what brokers know by themselves is answered.
func TestWithoutAController(t *testing.T) {
	t.Parallel()
	simulated(t, pair(), func(t *testing.T, r *rig) {
		leader := func() int32 {
			req := kmsg.NewPtrDescribeQuorumRequest()
			topic := kmsg.NewDescribeQuorumRequestTopic()
			topic.Topic = "__cluster_metadata"
			topic.Partitions = append(topic.Partitions, kmsg.NewDescribeQuorumRequestTopicPartition())
			req.Topics = append(req.Topics, topic)
			return ask[*kmsg.DescribeQuorumResponse](r, req).Topics[0].Partitions[0].LeaderID
		}
		if got := leader(); got != 3000 {
			t.Errorf("leader: got %d, want 3000", got)
		}
		r.FailController(2 * time.Second)
		if code := r.alter("t", 0, []int32{2}); code != kerr.RequestTimedOut.Code {
			t.Errorf("alter: got %d, want 7", code)
		}
		list := ask[*kmsg.ListPartitionReassignmentsResponse](r, kmsg.NewPtrListPartitionReassignmentsRequest())
		if list.ErrorCode != kerr.RequestTimedOut.Code {
			t.Errorf("list: got %d, want 7", list.ErrorCode)
		}
		if got := r.listed(); len(got) != 2 {
			t.Errorf("metadata: %v", got)
		}
		r.wait(2 * time.Second)
		if got := leader(); got != 3001 {
			t.Errorf("leader after: got %d, want 3001", got)
		}
		if code := r.alter("t", 0, []int32{2}); code != 0 {
			t.Errorf("alter after: got %d", code)
		}
		must(t, r.FailVoter(3000, true))
		must(t, r.FailVoter(3001, true))
		if code := r.alter("t", 1, []int32{2}); code != kerr.RequestTimedOut.Code {
			t.Errorf("alter with one of three voters: got %d, want 7", code)
		}
	})
}

// A combined node takes its vote along.
func TestACombinedNodeIsAVoterWhileItRuns(t *testing.T) {
	t.Parallel()
	s := pair()
	s.Brokers = append(s.Brokers, Broker{ID: 3})
	s.Quorum = Quorum{Voters: []Voter{{ID: 1}, {ID: 2}, {ID: 3}}}
	simulated(t, s, func(t *testing.T, r *rig) {
		r.Crash(3)
		cl := r.client(kgo.SeedBrokers(r.brokers[0].address()))
		defer cl.Close()
		if code := r.alter("t", 0, []int32{2}); code != 0 {
			t.Errorf("with two of three: %d", code)
		}
		must(t, r.FailVoter(2, true))
		resp, err := r.cl.Broker(1).Request(t.Context(), alterBoth())
		if err != nil || resp.(*kmsg.AlterPartitionAssignmentsResponse).ErrorCode != kerr.RequestTimedOut.Code {
			t.Errorf("with one of three: %+v, %v", resp, err)
		}
	})
}
