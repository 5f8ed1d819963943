package simkafka

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// trio is three brokers with a partition on all of them and one on broker 1
// alone.
func trio() Spec {
	return Spec{Brokers: brokers(1, 2, 3), Topics: []Topic{
		{Name: "log", Partitions: []Partition{{Replicas: []int32{1}, Bytes: 1000}}},
		{Name: "pay", Partitions: []Partition{{Replicas: []int32{1, 2, 3}, Bytes: 1000}}},
	}}
}

// listed is the brokers in Metadata, read past every cache.
func (r *rig) listed() []int32 {
	r.t.Helper()
	var ids []int32
	for _, b := range ask[*kmsg.MetadataResponse](r, kmsg.NewPtrMetadataRequest()).Brokers {
		ids = append(ids, b.NodeID)
	}
	return ids
}

func TestACrashIsSeenWhenTheSessionEnds(t *testing.T) {
	t.Parallel()
	simulated(t, trio(), func(t *testing.T, r *rig) {
		r.Crash(1)
		if _, err := r.Dial(t.Context(), "tcp", r.brokers[0].address()); err == nil {
			t.Error("the port of a dead broker answers")
		}
		r.wait(8900 * time.Millisecond)
		if got := r.listed(); !slices.Equal(got, []int32{1, 2, 3}) {
			t.Errorf("before the session ends: listed %v", got)
		}
		r.wait(200 * time.Millisecond)
		if got := r.listed(); !slices.Equal(got, []int32{2, 3}) {
			t.Errorf("after: listed %v", got)
		}
		log, pay := r.at("log", 0), r.at("pay", 0)
		if *log.Leader != plan.NoLeader || !slices.Equal(log.ISR, []int32{1}) {
			t.Errorf("log-0: leader %d, ISR %v; want none, and its last member", *log.Leader, log.ISR)
		}
		if *pay.Leader != 2 || !slices.Equal(pay.ISR, []int32{2, 3}) {
			t.Errorf("pay-0: leader %d, ISR %v; want 2, [2 3]", *pay.Leader, pay.ISR)
		}
		for tp, want := range map[plan.TopicPartition]time.Duration{{Topic: "pay"}: 9 * time.Second, {Topic: "log"}: 9100 * time.Millisecond} {
			if got := r.Unwritable()[tp]; got != want {
				t.Errorf("%v: unwritable for %v, want %v", tp, got, want)
			}
		}
		r.StartBroker(1)
		r.wait(time.Second)
		if got := r.at("log", 0); *got.Leader != 1 {
			t.Errorf("log-0 after the return: leader %d", *got.Leader)
		}
		if got := r.at("pay", 0); !slices.Equal(got.ISR, []int32{1, 2, 3}) || *got.Leader != 2 {
			t.Errorf("pay-0 after the return: leader %d, ISR %v", *got.Leader, got.ISR)
		}
	})
}

func TestAControlledShutdownMovesLeadersFirst(t *testing.T) {
	t.Parallel()
	simulated(t, trio(), func(t *testing.T, r *rig) {
		r.Shutdown(1)
		if got := r.at("pay", 0); *got.Leader != 2 || !slices.Equal(got.ISR, []int32{2, 3}) {
			t.Errorf("pay-0 at once: leader %d, ISR %v", *got.Leader, got.ISR)
		}
		if got := r.listed(); !slices.Equal(got, []int32{1, 2, 3}) {
			t.Errorf("while it shuts down: listed %v", got)
		}
		r.wait(time.Second)
		if got := r.listed(); !slices.Equal(got, []int32{2, 3}) {
			t.Errorf("after: listed %v", got)
		}
		req := kmsg.NewPtrDescribeClusterRequest()
		req.IncludeFencedBrokers = true
		for _, b := range ask[*kmsg.DescribeClusterResponse](r, req).Brokers {
			if b.IsFenced != (b.NodeID == 1) {
				t.Errorf("broker %d fenced: %v", b.NodeID, b.IsFenced)
			}
		}
		if got := r.Unwritable()[plan.TopicPartition{Topic: "pay"}]; got != 0 {
			t.Errorf("pay-0: unwritable for %v", got)
		}
	})
}

func TestAStartWaitsForTheOldSession(t *testing.T) {
	t.Parallel()
	simulated(t, trio(), func(t *testing.T, r *rig) {
		r.Crash(3)
		r.StartBroker(3)
		r.wait(9400 * time.Millisecond) // 9 s session, 500 ms boot
		if r.Running(3) {
			t.Error("it runs beside its old session")
		}
		r.wait(200 * time.Millisecond)
		if !r.Running(3) || r.BrokerState(3) != plan.Alive {
			t.Errorf("after the session: running %v, %v", r.Running(3), r.BrokerState(3))
		}
	})
}

func TestUnregister(t *testing.T) {
	t.Parallel()
	simulated(t, trio(), func(t *testing.T, r *rig) {
		req := kmsg.NewPtrUnregisterBrokerRequest()
		req.BrokerID = 9
		if got := askOf[*kmsg.UnregisterBrokerResponse](r, 1, req); got.ErrorCode != kerr.BrokerIDNotRegistered.Code {
			t.Errorf("an unknown broker: %d", got.ErrorCode)
		}
		r.Shutdown(3)
		r.wait(time.Second)
		req.BrokerID = 3
		if got := askOf[*kmsg.UnregisterBrokerResponse](r, 1, req); got.ErrorCode != 0 {
			t.Errorf("a stopped broker: %d", got.ErrorCode)
		}
		if code := r.alter("log", 0, []int32{3}); code != kerr.InvalidReplicaAssignment.Code {
			t.Errorf("a target that is not registered: %d", code)
		}
		if code := r.alter("pay", 0, []int32{1, 2, 3}); code != kerr.InvalidReplicaAssignment.Code {
			t.Errorf("a target that holds the partition and is not registered: %d", code)
		}
	})
}

// With ELR on the last member is kept there, and a broker that did not stop
// cleanly is not trusted when it comes back.
func TestTheLastReplicaWithELR(t *testing.T) {
	t.Parallel()
	s := trio()
	s.ELR = true
	simulated(t, s, func(t *testing.T, r *rig) {
		r.Shutdown(1)
		r.wait(time.Second)
		if got := r.at("log", 0); *got.Leader != plan.NoLeader || len(got.ISR) != 0 || !slices.Equal(got.ELR, []int32{1}) {
			t.Errorf("after a clean stop: leader %d, ISR %v, ELR %v", *got.Leader, got.ISR, got.ELR)
		}
		r.StartBroker(1)
		r.wait(time.Second)
		if got := r.at("log", 0); *got.Leader != 1 || !slices.Equal(got.ISR, []int32{1}) {
			t.Errorf("after its return: leader %d, ISR %v", *got.Leader, got.ISR)
		}
	})
}

// A cluster starts from what State says of another, and is the same.
func TestStateIsASpec(t *testing.T) {
	t.Parallel()
	s, err := Named("log-cluster")
	must(t, err)
	simulated(t, s, func(t *testing.T, r *rig) {
		must(t, r.Reassign(plan.TopicPartition{Topic: "log"}, []int32{5}))
		r.Shutdown(2)
		r.wait(400 * time.Millisecond)
		first := r.State()
		m, err := newModel(first)
		must(t, err)
		if second := m.spec(); !reflect.DeepEqual(first, second) {
			t.Errorf("got %+v\nwant %+v", second, first)
		}
	})
}

// Requests and time alone decide what happens.
func TestTheSameHappensTwice(t *testing.T) {
	t.Parallel()
	run := func() (states []Spec) {
		s, err := Named("log-cluster")
		must(t, err)
		s.ID = "same"
		for i := range s.Topics {
			s.Topics[i].ID[0] = byte(i + 1)
		}
		simulated(t, s, func(t *testing.T, r *rig) {
			for i := range int32(12) {
				must(t, r.Reassign(plan.TopicPartition{Topic: "log", Partition: i * 3}, []int32{3 + i%5}))
			}
			for range 20 {
				r.wait(77 * time.Millisecond)
				states = append(states, r.State())
			}
		})
		return states
	}
	if first, second := run(), run(); !reflect.DeepEqual(first, second) {
		t.Error("two runs differ")
	}
}
