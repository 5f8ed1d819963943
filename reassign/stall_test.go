package reassign

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"drain/plan"
)

// The destination dies for good, and nobody finds another.
func TestDestinationDies(t *testing.T) {
	play(t, 5, func(s *scene) {
		p := s.moves("t", 0, 100e6, 3, 4, 1, 2, 3)
		s.at(10*time.Second, func() { s.kill(4) })
		err := s.driver(Options{BytesPerSec: 1e6, StallAfter: 5 * time.Minute}).Move(s.Context(), s.plan)
		stall, ok := errors.AsType[*StallError](err)
		if !ok || len(stall.Stuck) != 1 || stall.Stuck[0].TopicPartition != tp("t", 0) || stall.Stuck[0].Why != "its destination, broker 4, is down" {
			s.Errorf("got %v, want a stall that names t-0 and broker 4", err)
		}
		s.want(p.replicas, []int32{1, 2, 3})
		s.want(len(p.adding), 0)
		unpaid, ok := errors.AsType[*UnpaidError](err)
		if !ok || len(unpaid.Debts) != 1 || unpaid.Debts[0].setting() != (setting{OfBroker(4), FollowerRate}) {
			s.Errorf("got %v, want the rate of broker 4 and nothing else still owed", err)
		}
		s.revive(4)
		if err := s.driver(Options{}).Settle(s.Context()); err != nil {
			s.Error(err)
		}
		s.clean()
	})
}

// The other right answer: another destination is found.
func TestDestinationDiesAndAnotherIsFound(t *testing.T) {
	play(t, 5, func(s *scene) {
		p := s.moves("t", 0, 100e6, 3, 4, 1, 2, 3)
		s.moves("t", 1, 50e6, 3, 5, 3, 1, 2)
		s.at(10*time.Second, func() { s.kill(4) })
		var asked []plan.TopicPartition
		err := s.driver(Options{BytesPerSec: 1e6, Replan: func(_ context.Context, moves []plan.Move) (plan.Plan, error) {
			for _, m := range moves {
				asked = append(asked, m.TopicPartition)
			}
			s.want(p.replicas, []int32{1, 2, 3}) // the order is back before anybody plans
			s.plan.Moves[0] = s.move("t", 0, 3, 5, plan.NoLeader, 1)
			return plan.Plan{Moves: s.plan.Moves[:1]}, nil
		}}).Move(s.Context(), s.plan)
		if unpaid, ok := errors.AsType[*UnpaidError](err); !ok || len(unpaid.Debts) != 1 {
			s.Errorf("got %v, want only the rate of broker 4 still owed", err)
		}
		s.want(asked, []plan.TopicPartition{tp("t", 0)})
		s.want(p.replicas, []int32{1, 2, 5})
		s.revive(4)
		if err := s.driver(Options{}).Settle(s.Context()); err != nil {
			s.Error(err)
		}
		s.done()
	})
}

// A list that holds a cordoned broker is refused (4.4), so that the order before
// the drain cannot be had back before the moves go elsewhere. The run asked for it
// again and again, and ended.
func TestDestinationDiesWhileTheDrainedBrokerIsCordoned(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.brokers[3].configs[CordonedDirs] = "*"
		p := s.moves("t", 0, 100e6, 3, 4, 3, 1, 2)
		s.at(10*time.Second, func() { s.kill(4) })
		began := time.Now()
		err := s.driver(Options{BytesPerSec: 2e6, Replan: func(context.Context, []plan.Move) (plan.Plan, error) {
			s.want(p.replicas, []int32{1, 2, 3}) // as the cancel left them
			s.want(time.Since(began) < time.Minute, true)
			s.plan.Moves[0] = s.move("t", 0, 3, 5, plan.NoLeader, 1)
			return plan.Plan{Moves: s.plan.Moves[:1]}, nil
		}}).Move(s.Context(), s.plan)
		if unpaid, ok := errors.AsType[*UnpaidError](err); !ok || len(unpaid.Debts) != 1 {
			s.Errorf("got %v, want only the rate of broker 4 still owed", err)
		}
		s.want(p.replicas, []int32{1, 2, 5})
		s.want(s.said(Refused), []string{})
	})
}

// The log dir of a destination fails and its broker lives on: its moves waited for
// it until they were a stall, and in the next run again.
func TestLogDirOfADestinationFails(t *testing.T) {
	play(t, 5, func(s *scene) {
		p := s.moves("t", 0, 100e6, 3, 4, 1, 2, 3)
		q := s.moves("t", 1, 100e6, 3, 4, 1, 2, 3)
		s.space = map[int32][]plan.LogDir{4: {{Path: "/a", TotalBytes: 1e9, UsableBytes: 1e9}}}
		s.at(10*time.Second, func() {
			p.offline = []int32{4}
			s.space[4] = append(s.space[4], plan.LogDir{Path: "/b", TotalBytes: -1, UsableBytes: -1, Offline: true})
		})
		if err := s.driver(Options{BytesPerSec: 2e6, Replan: func(_ context.Context, moves []plan.Move) (plan.Plan, error) {
			s.want(len(moves), 1)
			s.plan.Moves[0] = s.move("t", 0, 3, 5, plan.NoLeader, 1)
			return plan.Plan{Moves: s.plan.Moves[:1]}, nil
		}}).Move(s.Context(), s.plan); err != nil {
			s.Error(err)
		}
		s.want(q.replicas, []int32{1, 2, 4})
		s.done()
	})
}

// A plan that goes to the same broker again is none: the replica cannot come to
// another log dir of it.
func TestLogDirOfTheOnlyDestinationFails(t *testing.T) {
	play(t, 4, func(s *scene) {
		p := s.moves("t", 0, 100e6, 3, 4, 1, 2, 3)
		s.at(10*time.Second, func() {
			p.offline = []int32{4}
			s.space = map[int32][]plan.LogDir{4: {{Path: "/b", TotalBytes: -1, UsableBytes: -1, Offline: true}}}
		})
		err := s.driver(Options{BytesPerSec: 2e6, Replan: func(_ context.Context, moves []plan.Move) (plan.Plan, error) {
			return plan.Plan{Moves: moves}, nil
		}}).Move(s.Context(), s.plan)
		if !errors.Is(err, errNowhere) {
			s.Errorf("got %v, want that no other destination was found", err)
		}
		s.want(p.replicas, []int32{1, 2, 3})
		s.clean()
	})
}

// A replica that stays can not catch up, on a version that waits for it.
func TestSurvivorOutOfSyncHoldsUpCompletion(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.strict = true
		p := s.moves("t", 0, 1e6, 3, 4, 1, 2, 3)
		p.isr = []int32{1, 3}
		err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan)
		stall, ok := errors.AsType[*StallError](err)
		if !ok || stall.Stuck[0].Why != "the new replica is in sync; it waits for broker 2, which stays and is out of sync" {
			s.Errorf("got %v, want broker 2 named", err)
		}
	})
}

// Since 4.3 Kafka completes it, but a survivor left the ISR on the way,
// so that it is not done.
func TestCompletionThatShrankTheISRIsNotDone(t *testing.T) {
	play(t, 4, func(s *scene) {
		p := s.moves("t", 0, 1e6, 3, 4, 1, 2, 3)
		s.at(500*time.Millisecond, func() { p.isr = []int32{1, 3} })
		s.at(90*time.Second, func() { p.isr = append(p.isr, 2) })
		start := time.Now()
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		if took := time.Since(start); took < 90*time.Second {
			s.Errorf("done after %v, while broker 2 was out of sync", took)
		}
		if said := s.said(Stuck); len(said) != 1 || !strings.Contains(said[0], "broker 2") {
			s.Errorf("got %q, want broker 2 named once", said)
		}
		s.done()
	})
}

// An own move in flight whose new replica leads already, and whose other
// survivor is down. Any list without the new replica would cost the leader.
func TestOwnMoveWhoseNewReplicaLeadsIsAdopted(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.strict = true
		p := s.part("t", 0, 1e6, 3, 2)
		s.plan.Moves = []plan.Move{{
			TopicPartition: tp("t", 0), TopicID: p.id, Before: []int32{3, 2}, After: []int32{5, 2}, From: []int32{3}, To: []int32{5},
			Bytes: 1e6, Leader: 3, LeadsDuring: plan.NoLeader, LeadsFirst: 5,
		}}
		p.replicas, p.adding, p.removing, p.isr, p.leader = []int32{5, 2, 3}, []int32{5}, []int32{3}, []int32{5, 3}, 5
		s.brokers[2].live = false
		s.at(20*time.Minute, func() { s.revive(2) })
		err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan)
		if stall, ok := errors.AsType[*StallError](err); !ok || !strings.Contains(stall.Stuck[0].Why, "broker 2, which stays and is down") {
			s.Errorf("got %v, want broker 2 named", err)
		}
		s.want(p.replicas, []int32{5, 2, 3})
		time.Sleep(20 * time.Minute)
		if err := s.driver(Options{Own: s.plan.Moves}).Move(s.Context(), s.plan); err != nil {
			s.Error(err)
		}
		s.done()
		for _, line := range s.log {
			if strings.HasPrefix(line, "t-0 to") {
				s.Errorf("a reassignment was requested: %s", line)
			}
		}
	})
}

// The machine sleeps for an hour during one request.
func TestSleepIsNoStall(t *testing.T) {
	play(t, 4, func(s *scene) {
		p := s.moves("t", 0, 200e6, 3, 4, 3, 1)
		p.never = []int32{4}
		s.at(8*time.Minute, func() { p.never = nil })
		slept := false
		began := time.Now()
		s.fault = func(string) error {
			if time.Since(began) > time.Minute && !slept {
				slept = true
				time.Sleep(5 * time.Minute) // as one gap between two looks
			}
			return nil
		}
		if err := s.driver(Options{BytesPerSec: 1e6, StallAfter: 5 * time.Minute}).Move(s.Context(), s.plan); err != nil {
			s.Error(err)
		}
		s.done()
		for _, e := range s.told {
			if e.Progress != nil && e.Progress.Left < -1 {
				s.Errorf("%v are left", e.Progress.Left)
			}
		}
	})
}

// A throttle under what is written can not end: it is said early, and the stall
// tells the least that would do.
func TestThrottleUnderTheWriteRate(t *testing.T) {
	play(t, 4, func(s *scene) {
		p := s.moves("t", 0, 50e6, 3, 4, 3, 1)
		p.grows = 2e6
		err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan)
		stall, ok := errors.AsType[*StallError](err)
		if !ok || !strings.HasPrefix(stall.Stuck[0].Why, "a throttle of 1 MB/s is under what is written to it: at least 4.8 MB/s") {
			s.Errorf("got %v", err)
		}
		if said := s.said(TooSlow); len(said) != 2 {
			s.Errorf("got %q, want one for each end", said)
		}
	})
}
