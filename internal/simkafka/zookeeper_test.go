package simkafka

import (
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// zk is a ZooKeeper cluster of five brokers with one partition, whose
// controller is broker 1.
func zk(p Partition) Spec {
	return Spec{Release: "3.9", ZooKeeper: true, Brokers: brokers(1, 2, 3, 4, 5), Topics: []Topic{{Name: "t", Partitions: []Partition{p}}}}
}

func TestZooKeeperKeepsTheOldOrderOfWhatLeaves(t *testing.T) {
	t.Parallel()
	simulated(t, zk(Partition{Replicas: []int32{3, 1, 2}, Stuck: []int32{4, 5}}), func(t *testing.T, r *rig) {
		if code := r.alter("t", 0, []int32{4, 5, 2}); code != 0 {
			t.Fatalf("alter: %d", code)
		}
		if got := r.at("t", 0); !slices.Equal(got.Replicas, []int32{4, 5, 2, 3, 1}) {
			t.Errorf("replicas: got %v, want target, then 3 and 1 as they were", got.Replicas)
		}
		// The second target starts from the list before the first.
		if code := r.alter("t", 0, []int32{4, 1, 2}); code != 0 {
			t.Fatalf("alter: %d", code)
		}
		if got := r.at("t", 0); !slices.Equal(got.Replicas, []int32{4, 1, 2, 3}) || !slices.Equal(got.Adding, []int32{4}) {
			t.Errorf("overridden: replicas %v, adding %v", got.Replicas, got.Adding)
		}
		if code := r.alter("t", 0, nil); code != 0 {
			t.Fatalf("cancel: %d", code)
		}
		if got := r.at("t", 0); !slices.Equal(got.Replicas, []int32{1, 2, 3}) {
			t.Errorf("cancelled: replicas %v", got.Replicas)
		}
	})
}

// A replica that only the first target named is stopped at once, even if it
// leads: the partition is leaderless (KAFKA-14808).
func TestZooKeeperOverrideStopsTheLeader(t *testing.T) {
	t.Parallel()
	five := int32(5)
	p := Partition{Replicas: []int32{5, 2, 3}, ISR: []int32{5, 3}, Leader: &five, Adding: []int32{5}, Removing: []int32{3}, Stuck: []int32{2}}
	simulated(t, zk(p), func(t *testing.T, r *rig) {
		if code := r.alter("t", 0, []int32{4, 2}); code != 0 {
			t.Fatalf("alter: %d", code)
		}
		if got := r.at("t", 0); *got.Leader != plan.NoLeader {
			t.Errorf("leader: got %d, want none", *got.Leader)
		}
	})
}

// A client kept to the address of a controller that was gone, for as long as its
// metadata lasts, where the virtual network did not refuse it in a kernel's words.
func TestZooKeeperClientsFindTheNextController(t *testing.T) {
	t.Parallel()
	simulated(t, zk(Partition{Replicas: []int32{2, 3}}), func(t *testing.T, r *rig) {
		list := kmsg.NewPtrListPartitionReassignmentsRequest()
		ask[*kmsg.ListPartitionReassignmentsResponse](r, list)
		r.Shutdown(1)
		time.Sleep(20 * time.Second)
		if _, err := r.Dial(t.Context(), "tcp", r.brokers[0].address()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial: got %v, want %v", err, syscall.ECONNREFUSED)
		}
		began := time.Now()
		if code := ask[*kmsg.ListPartitionReassignmentsResponse](r, list).ErrorCode; code != 0 || time.Since(began) > 5*time.Second {
			t.Errorf("list: %d after %v", code, time.Since(began))
		}
	})
}

func TestZooKeeperChecksOnlyWhatIsAdded(t *testing.T) {
	t.Parallel()
	s := zk(Partition{Replicas: []int32{1, 5}})
	s.Brokers[4].State = plan.Down
	simulated(t, s, func(t *testing.T, r *rig) {
		if code := r.alter("t", 0, []int32{2, 5}); code != 0 {
			t.Errorf("a dead broker that holds it: %d", code)
		}
		s := kerr.InvalidReplicaAssignment.Code
		r.alter("t", 0, nil)
		if code := r.alter("t", 0, []int32{1, 9}); code != s {
			t.Errorf("a dead broker that is added: %d, want %d", code, s)
		}
	})
}

// A move ends when its whole target is in sync, and the leader changes then.
func TestZooKeeperEndsAMove(t *testing.T) {
	t.Parallel()
	simulated(t, zk(Partition{Replicas: []int32{1, 2}, Bytes: 1000}), func(t *testing.T, r *rig) {
		r.alter("t", 0, []int32{3, 2})
		r.wait(time.Second)
		got := r.at("t", 0)
		if !slices.Equal(got.Replicas, []int32{3, 2}) || *got.Leader != 3 || !slices.Equal(got.ISR, []int32{2, 3}) {
			t.Errorf("got %+v", got)
		}
	})
}

// A partition with one replica stays led by a broker in controlled shutdown
// until it has gone.
func TestZooKeeperLeavesSingleReplicasAlone(t *testing.T) {
	t.Parallel()
	simulated(t, zk(Partition{Replicas: []int32{2}}), func(t *testing.T, r *rig) {
		r.Shutdown(2)
		if got := r.at("t", 0); *got.Leader != 2 {
			t.Errorf("while it shuts down: leader %d, want 2", *got.Leader)
		}
		r.wait(time.Second)
		if got := r.at("t", 0); *got.Leader != plan.NoLeader || !slices.Equal(got.ISR, []int32{2}) {
			t.Errorf("after: leader %d, ISR %v", *got.Leader, got.ISR)
		}
	})
}

func TestOnlyTheZooKeeperControllerAnswers(t *testing.T) {
	t.Parallel()
	simulated(t, zk(Partition{Replicas: []int32{1}}), func(t *testing.T, r *rig) {
		list := func(broker int32) int16 {
			return askOf[*kmsg.ListPartitionReassignmentsResponse](r, broker, kmsg.NewPtrListPartitionReassignmentsRequest()).ErrorCode
		}
		if got := ask[*kmsg.MetadataResponse](r, kmsg.NewPtrMetadataRequest()).ControllerID; got != 1 {
			t.Errorf("controller: got %d, want 1", got)
		}
		if code := list(1); code != 0 {
			t.Errorf("the controller: %d", code)
		}
		resp, err := r.cl.Broker(2).Request(t.Context(), kmsg.NewPtrListPartitionReassignmentsRequest())
		if err != nil || resp.(*kmsg.ListPartitionReassignmentsResponse).ErrorCode != kerr.NotController.Code {
			t.Errorf("another: %+v, %v; want NOT_CONTROLLER", resp, err)
		}
	})
}

// A topic of which a partition moves is gone at once, and so is the move.
func TestZooKeeperDeletesWhatMoves(t *testing.T) {
	t.Parallel()
	simulated(t, zk(Partition{Replicas: []int32{1}, Stuck: []int32{2}}), func(t *testing.T, r *rig) {
		r.alter("t", 0, []int32{2})
		must(t, r.DeleteTopic("t"))
		if code := r.alter("t", 0, []int32{3}); code != kerr.UnknownTopicOrPartition.Code {
			t.Errorf("another move: %d", code)
		}
		if got := len(r.State().Topics); got != 0 {
			t.Errorf("topics after: %d", got)
		}
	})
}
