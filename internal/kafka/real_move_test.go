package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"drain/plan"
	"drain/reassign"
)

// While single-replica partitions hop about, each picture must explain every
// list that is longer than one, by a move in flight or by the finding that the
// topic does not come to rest: else a plan would raise the factor.
func (r realCluster) noInflation() {
	const enough = 10 // pictures
	ctx, cancel := context.WithTimeout(r.T.Context(), time.Minute)
	defer cancel()
	hopped := make(chan error, 1)
	go func() { hopped <- r.hop(ctx) }()
	pictures := 0
	for ctx.Err() == nil && pictures < enough {
		lists, err := r.unexplained(ctx, 2+int32(pictures%3))
		if err != nil {
			break
		}
		pictures++
		if len(lists) > 0 {
			r.Errorf("picture %d: %v", pictures, lists)
		}
	}
	cancel()
	if err := <-hopped; err != nil {
		r.Fatal(err)
	}
	if pictures < enough {
		r.Errorf("got %d pictures within a minute, too few to tell anything", pictures)
	}
	r.soon("the last hop over", func() error {
		list, err := r.c.InFlight(r.T.Context())
		if err == nil && len(list) > 0 {
			err = fmt.Errorf("in flight: %v", list)
		}
		return err
	})
	for via := range int32(3) {
		if lists, err := r.unexplained(r.T.Context(), 2+via); err != nil || len(lists) > 0 {
			r.Errorf("nothing moves, and broker %d shows %v, %v", 2+via, lists, err)
		}
	}
	r.move(target("log", 0, 1), target("log", 1, 2))
}

// unexplained takes a picture and returns the lists that are longer than one
// for no reason that it gives.
func (r realCluster) unexplained(ctx context.Context, via int32) ([]string, error) {
	got, err := r.c.Snapshot(ctx, plan.Scope{Brokers: []int32{1, 2, 3, 4}, Via: via})
	if err != nil {
		return nil, err
	}
	var lists []string
	if slices.ContainsFunc(got.Notes, func(f plan.Finding) bool { return f.Risk == "topic-in-motion" && f.Level == plan.Block }) {
		return nil, nil
	}
	for number := range int32(2) {
		p := view(r.T, got, tp("log", number))
		if len(p.Replicas)-len(p.Adding) != 1 {
			lists = append(lists, fmt.Sprintf("log-%d: replicas %v adding %v removing %v", number, p.Replicas, p.Adding, p.Removing))
		}
	}
	return lists, nil
}

// hop moves two partitions from broker to broker until ctx ends, with a rest
// between. The next hop waits for the one before: Kafka itself makes a mess of a
// move overridden.
func (r realCluster) hop(ctx context.Context) error {
	for i := int32(0); ctx.Err() == nil; i++ {
		refused, err := r.c.Alter(ctx, []reassign.Target{target("log", 0, 1+i%4), target("log", 1, 1+(i+1)%4)})
		if err = errors.Join(err, errors.Join(asErrors(refused)...)); err != nil && ctx.Err() == nil {
			return err
		}
		for list := []reassign.InFlight{{}}; len(list) > 0 && ctx.Err() == nil; {
			if list, err = r.c.InFlight(r.T.Context()); err != nil {
				return err
			}
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return nil
}

func asErrors(refused []reassign.PartitionError) []error {
	errs := make([]error, len(refused))
	for i, e := range refused {
		errs[i] = e
	}
	return errs
}

// move waits until the targets are reached.
func (r realCluster) move(targets ...reassign.Target) {
	r.T.Helper()
	refused, err := r.c.Alter(r.T.Context(), targets)
	if err != nil || refused != nil {
		r.Fatalf("alter: refused %v, %v", refused, err)
	}
	var of []plan.TopicPartition
	for _, target := range targets {
		of = append(of, target.TopicPartition)
	}
	slices.SortFunc(of, plan.TopicPartition.Compare)
	r.soon("moved", func() error {
		list, err := r.c.InFlight(r.T.Context())
		if err == nil && len(list) > 0 {
			err = fmt.Errorf("in flight: %v", list)
		}
		if err != nil {
			return err
		}
		states, err := r.c.Partitions(r.T.Context(), of)
		if err != nil {
			return err
		}
		for _, target := range targets {
			i := slices.Index(of, target.TopicPartition)
			if !slices.Equal(states[i].Replicas, target.Replicas) || len(states[i].ISR) != len(target.Replicas) {
				return fmt.Errorf("%v has replicas %v, ISR %v", target.TopicPartition, states[i].Replicas, states[i].ISR)
			}
		}
		return nil
	})
}

func (r realCluster) moveAndCancel() {
	pay := tp("pay", 0)
	rate := func(broker int32, op reassign.Op) reassign.Change {
		return reassign.Change{Resource: reassign.OfBroker(broker), Key: reassign.FollowerRate, Op: op, Value: "1"}
	}
	list := func(op reassign.Op) reassign.Change {
		return reassign.Change{Resource: reassign.OfTopic("pay"), Key: reassign.FollowerList, Op: op, Value: "0:4"}
	}
	r.alter(rate(4, reassign.Set), list(reassign.Set))
	if refused, err := r.c.Alter(r.T.Context(), []reassign.Target{target("pay", 0, 2, 3)}); err != nil || len(refused) != 1 || refused[0].Name != "INVALID_REPLICATION_FACTOR" {
		r.Errorf("two replicas for three: got %v and %v, want a refusal of the factor", refused, err)
	}
	if refused, err := r.c.Alter(r.T.Context(), []reassign.Target{target("pay", 0, 2, 4, 3)}); err != nil || refused != nil {
		r.Fatalf("alter: refused %v, %v", refused, err)
	}
	want := []reassign.InFlight{{TopicPartition: pay, Replicas: []int32{2, 4, 3, 1}, Adding: []int32{4}, Removing: []int32{1}}}
	if got, err := r.c.InFlight(r.T.Context()); err != nil || !reflect.DeepEqual(got, want) {
		r.Errorf("in flight: got %+v and %v, want %+v", got, err, want)
	}
	seen := view(r.T, r.sameAsJudge(plan.Scope{Brokers: []int32{1}, Via: -1, Space: true}), pay)
	if !slices.Equal(seen.Adding, []int32{4}) || !slices.Equal(seen.Removing, []int32{1}) {
		r.Errorf("snapshot: adding %v, removing %v, want 4 and 1", seen.Adding, seen.Removing)
	}
	if failed, err := r.c.Elect(r.T.Context(), []plan.TopicPartition{pay, tp("pay", 1)}); err != nil || failed != nil {
		r.Errorf("elect: failed %v, %v", failed, err)
	}
	r.soon("led by 2 while copying", func() error { return r.ledBy(pay, 2) })
	for range 2 { // the second finds nothing to cancel, which is what was wanted
		if refused, err := r.c.Alter(r.T.Context(), []reassign.Target{target("pay", 0)}); err != nil || refused != nil {
			r.Errorf("cancel: refused %v, %v", refused, err)
		}
	}
	r.alter(rate(4, reassign.Delete), list(reassign.Delete))
	r.soon("cancelled", func() error {
		states, err := r.c.Partitions(r.T.Context(), []plan.TopicPartition{pay})
		if err != nil || !slices.Equal(states[0].Replicas, []int32{2, 3, 1}) {
			return fmt.Errorf("got %v, %w", states, err)
		}
		return nil
	})
	r.move(target("pay", 0, 1, 2, 3)) // the order, which a cancel does not restore
}

func (r realCluster) ledBy(of plan.TopicPartition, leader int32) error {
	states, err := r.c.Partitions(r.T.Context(), []plan.TopicPartition{of})
	if err != nil || states[0].Leader != leader {
		return fmt.Errorf("got %+v, %w", states, err)
	}
	return nil
}

func (r realCluster) placed() {
	// Kafka would take the dir with fewer logs, so the other one is named.
	four, _ := r.broker(4)
	fuller := slices.MaxFunc(four.LogDirs, func(a, b plan.LogDir) int { return a.Replicas - b.Replicas })
	if fuller.Replicas == 0 {
		r.Fatalf("log dirs of broker 4: %+v, want one with a log", four.LogDirs)
	}
	at := reassign.Placement{Replica: reassign.Replica{TopicPartition: tp("log", 1), Broker: 4}, Dir: fuller.Path}
	if refused, err := r.c.Place(r.T.Context(), []reassign.Placement{at}); err != nil || refused != nil {
		r.Fatalf("place: refused %v, %v", refused, err)
	}
	r.move(target("log", 1, 4))
	if _, err := os.Stat(filepath.Join(fuller.Path, "log-1")); err != nil {
		r.Errorf("the replica is not where it was placed: %v", err)
	}
	r.move(target("log", 1, 2))
	r.soon("its log left", func() error { // a moment after the move has ended
		logs, offline, err := r.c.Logs(r.T.Context(), 4)
		if err != nil || offline != nil || slices.Contains(logs, tp("log", 1)) || !slices.Contains(logs, tp("log", 2)) {
			return fmt.Errorf("logs of broker 4: got %v, offline %v, %w; want log-2 and no longer log-1", logs, offline, err)
		}
		return nil
	})
}
