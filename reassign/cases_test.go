package reassign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drain/plan"
)

// scene is a model with a plan, a driver and what it reported.
type scene struct {
	*testing.T
	*model
	ledger *memory
	before map[string]string
	told   []Event
	plan   plan.Plan
}

// play runs a test in virtual time on a cluster of brokers 1 to n.
func play(t *testing.T, n int32, test func(s *scene)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var brokers []int32
		for b := range n {
			brokers = append(brokers, b+1)
		}
		test(&scene{T: t, model: newModel(brokers...), ledger: &memory{}})
	})
}

// moves adds a partition in sync, and its move.
func (s *scene) moves(topic string, number int32, size float64, from, to int32, replicas ...int32) *modelPart {
	p := s.part(topic, number, size, replicas...)
	during, leads := plan.NoLeader, replicas[0]
	if replicas[0] == from {
		if leads = to; len(replicas) > 1 {
			during = replicas[1]
		}
	}
	s.plan.Moves = append(s.plan.Moves, s.move(topic, number, from, to, during, leads))
	return p
}

// driver makes one that goes on from the ledger.
func (s *scene) driver(o Options) *Driver {
	if s.before == nil {
		s.before = s.settings()
	}
	return New(s.ports(), s.ledger, s.ledger.book.Open(), o, func(e Event) {
		s.told = append(s.told, e)
		if e.Kind != Progressed {
			s.Logf("%-10s %s", e.Kind, e.Text)
		}
	})
}

// said returns the texts of the events of a kind.
func (s *scene) said(kind EventKind) []string {
	var texts []string
	for _, e := range s.told {
		if e.Kind == kind {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

func (s *scene) clean() {
	s.Helper()
	wantClean(s.T, s.model, s.ledger, s.before)
}

func (s *scene) done() {
	s.Helper()
	wantMoved(s.T, s.model, s.ledger, s.plan.Moves, s.before)
}

// at lets something happen in the cluster after a while.
func (s *scene) at(after time.Duration, then func()) {
	s.model.events = append(s.model.events, modelEvent{time.Now().Add(after), then})
}

func (s *scene) want(got, want any) {
	s.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.Errorf("got %v, want %v", got, want)
	}
}

func tp(topic string, partition int32) plan.TopicPartition {
	return plan.TopicPartition{Topic: topic, Partition: partition}
}

// O-16: the destination dies for good, and nobody finds another.
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

// O-16, the other right answer: another destination is found.
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
		if err := s.driver(Options{}).Pay(s.Context()); err != nil {
			s.Error(err)
		}
		s.done()
	})
}

// O-17: a replica that stays can not catch up, on a version that waits for it.
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

// O-17 since 4.3: Kafka completes it, but a survivor left the ISR on the way,
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

// O-18: an own move in flight whose new replica leads already, and whose other
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

// O-19: the request succeeds, one partition of it does not.
func TestOneOfTwoIsRefused(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 1e6, 3, 4, 3, 1)
		p := s.moves("t", 1, 1e6, 3, 4, 3, 2)
		s.model.refuse[tp("t", 1)] = 39
		s.plan.Moves[1].LeadsDuring = plan.NoLeader // nothing but the move itself is asked
		start := time.Now()
		err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan)
		refused, ok := errors.AsType[PartitionError](err)
		if !ok || refused.Code != 39 || refused.TopicPartition != tp("t", 1) {
			s.Errorf("got %v, want the refusal of t-1", err)
		}
		if took := time.Since(start); took > 10*time.Second {
			s.Errorf("waited %v for a move that never began", took)
		}
		s.clean()
		delete(s.model.refuse, tp("t", 1))
		s.log = nil
		if err := s.driver(Options{BytesPerSec: 1e6, Own: s.plan.Moves}).Move(s.Context(), s.plan); err != nil {
			s.Error(err)
		}
		s.want(p.replicas, []int32{4, 2})
		for _, line := range s.log {
			if strings.HasPrefix(line, "t-0") {
				s.Errorf("t-0 was asked for again: %s", line)
			}
		}
		s.clean()
	})
}

// O-20: no controller answers for a while.
func TestControllerFailsOver(t *testing.T) {
	play(t, 4, func(s *scene) {
		for i := range int32(5) {
			s.moves("t", i, 20e6, 3, 4-2*(i%2), 3, 1)
		}
		d := s.driver(Options{BytesPerSec: 2e6})
		began := time.Now()
		s.fault = func(string) error {
			if gap := time.Since(began); gap > 5*time.Second && gap < 40*time.Second {
				return errors.New("REQUEST_TIMED_OUT")
			}
			return nil
		}
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		targets := map[string]int{}
		for _, line := range s.log {
			if strings.Contains(line, " to [") {
				targets[line]++
			}
		}
		for line, n := range targets {
			if n > 1 {
				s.Errorf("%q was requested %d times", line, n)
			}
		}
		s.done()
	})
}

// A cluster that never comes back ends the run, with its own words.
func TestClusterStaysAway(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 20e6, 3, 4, 3, 1)
		gone := errors.New("SASL_AUTHENTICATION_FAILED")
		began := time.Now()
		s.fault = func(string) error {
			if time.Since(began) > 5*time.Second {
				return gone
			}
			return nil
		}
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); !errors.Is(err, gone) {
			s.Errorf("got %v, want %v", err, gone)
		}
		if took := time.Since(began); took > 4*time.Minute {
			s.Errorf("took %v to give up", took)
		}
		if open := s.ledger.book.Open(); len(open) == 0 {
			s.Error("nothing is owed, although nothing could be given back")
		}
	})
}

// O-22: the topic is deleted and made anew while its partition moves.
func TestTopicMadeAnew(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 20e6, 3, 4, 3, 1, 2)
		s.moves("u", 0, 5e6, 3, 4, 3, 1, 2)
		s.at(3*time.Second, func() {
			s.remove("t")
			s.part("t", 0, 1, 1, 2).id = [16]byte{99}
		})
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.want(s.parts[tp("t", 0)].replicas, []int32{1, 2})
		s.want(s.said(Void), []string{"t-0 is void: deleted, or made anew under the same name"})
		s.plan.Moves = s.plan.Moves[1:]
		s.done()
	})
}

// O-23: twelve thousand partitions, in requests that a controller takes.
func TestRequestsAreKeptSmall(t *testing.T) {
	for _, c := range []struct {
		zookeeper bool
		most      int
	}{{false, 1000}, {true, 200}} {
		t.Run(fmt.Sprintf("zookeeper %v", c.zookeeper), func(t *testing.T) {
			play(t, 4, func(s *scene) {
				for i := range int32(3000) {
					s.moves("big", i, 0, 3, 2+2*(i%2), 3, 1)
				}
				d := s.driver(Options{ZooKeeper: c.zookeeper, MaxInFlight: 5000, MaxInFlightPerBroker: 5000})
				if err := d.Move(s.Context(), s.plan); err != nil {
					s.Fatal(err)
				}
				s.done()
				if s.largest > c.most {
					s.Errorf("a request named %d partitions, want at most %d", s.largest, c.most)
				}
			})
		})
	}
}

// O-27: the drained broker is down already; nothing is sent to it.
func TestNoSettingGoesToADeadBroker(t *testing.T) {
	play(t, 4, func(s *scene) {
		p := s.moves("t", 0, 5e6, 3, 4, 3, 1)
		s.kill(3)
		s.want(p.leader, 1)
		d := s.driver(Options{BytesPerSec: 1e6})
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.want(p.replicas, []int32{4, 1})
		for _, line := range s.log {
			if strings.Contains(line, "broker 3") {
				s.Errorf("a setting was sent to broker 3: %s", line)
			}
		}
		s.clean()
	})
}

// O-28: a topic is gone when its throttles are to be taken off.
func TestTopicGoneWhenSettingsAreGivenBack(t *testing.T) {
	play(t, 4, func(s *scene) {
		for _, topic := range []string{"a", "b", "c"} {
			s.moves(topic, 0, 10e6, 3, 4, 3, 1)
		}
		s.at(4*time.Second, func() { s.remove("b") })
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.plan.Moves = slices.DeleteFunc(s.plan.Moves, func(m plan.Move) bool { return m.Topic == "b" })
		s.done()
	})
}

// O-29: settings of an operator's own, after success and after an abort.
func TestOperatorsOwnThrottleIsKept(t *testing.T) {
	for _, abort := range []bool{false, true} {
		t.Run(fmt.Sprintf("abort %v", abort), func(t *testing.T) {
			play(t, 4, func(s *scene) {
				s.moves("a", 0, 20e6, 3, 4, 3, 1)
				s.brokers[1].configs[LeaderRate], s.brokers[1].configs[FollowerRate] = "500000", "500000"
				s.topics["a"][LeaderList], s.topics["a"][FollowerList] = "*", "*"
				ctx, cancel := context.WithCancel(s.Context())
				defer cancel()
				if abort {
					s.at(5*time.Second, cancel)
				}
				d := s.driver(Options{BytesPerSec: 1e6})
				err := d.Move(ctx, s.plan)
				if abort {
					if err == nil {
						s.Error("an aborted move succeeded")
					}
					err = d.Cancel(s.Context())
				}
				if err != nil {
					s.Error(err)
				}
				s.clean()
				for _, line := range s.log {
					if strings.Contains(line, "topic a") {
						s.Errorf("a list that holds everything was touched: %s", line)
					}
				}
				want := []string{"broker 1 leader.replication.throttled.rate stays at 500000, which somebody else has set"}
				s.want(s.said(Left), want)
			})
		})
	}
}

// O-31: no value may be longer than a record takes.
func TestListsStayShort(t *testing.T) {
	play(t, 4, func(s *scene) {
		for i := range int32(3000) {
			s.moves("big", i, 1e6, 3, 4, 1, 2, 3)
		}
		s.topics["big"][LeaderList] = strings.Repeat("9999:9,", 1000) + "9999:9"
		d := s.driver(Options{BytesPerSec: 1e9, MaxInFlight: 5000, MaxInFlightPerBroker: 5000})
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
		if s.longest > longest {
			s.Errorf("a value of %d bytes was sent", s.longest)
		}
	})
}

// O-32: the settings of a move that goes on outlive those of one that is done.
func TestSettingsOfOtherMovesStay(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("small", 0, 1e6, 3, 4, 3, 1)
		s.moves("large", 0, 60e6, 3, 4, 3, 1)
		s.at(20*time.Second, func() {
			s.want(s.topics["small"][LeaderList]+s.topics["small"][FollowerList], "")
			s.want(s.topics["large"][LeaderList], "0:1,0:3")
			s.want(s.topics["large"][FollowerList], "0:4")
			s.want(s.brokers[4].configs[FollowerRate], "1000000")
			s.want(s.brokers[1].configs[LeaderRate], "1000000")
		})
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
	})
}

// O-33: an empty plan asks for no setting of any kind.
func TestNothingToMoveChangesNothing(t *testing.T) {
	play(t, 3, func(s *scene) {
		s.part("t", 0, 1e6, 1, 2)
		asked := map[string]bool{}
		s.fault = func(request string) error { asked[request] = true; return nil }
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.want(slices.Sorted(maps.Keys(asked)), []string{})
		s.want(s.log, []string{})
	})
}

// O-42 is in TestMoveStopsWhenToldTo.

// O-43: the machine sleeps for an hour during one request.
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

// A move of somebody else's is left alone, and ours waits for it as long as the
// options say.
func TestForeignMoveIsLeftAlone(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Minute} {
		t.Run(fmt.Sprintf("for %v", wait), func(t *testing.T) {
			play(t, 5, func(s *scene) {
				p := s.moves("t", 0, 10e6, 3, 4, 3, 1)
				s.moves("t", 1, 1e6, 3, 4, 3, 1)
				s.want(s.alter(Target{tp("t", 0), []int32{5, 1}}), (*PartitionError)(nil))
				p.never = []int32{5}
				s.at(30*time.Second, func() { s.cancel(tp("t", 0), p) })
				err := s.driver(Options{BytesPerSec: 1e6, WaitForForeign: wait}).Move(s.Context(), s.plan)
				if wait > 0 {
					if err != nil {
						s.Error(err)
					}
					s.want(p.replicas, []int32{4, 1})
					s.clean()
					return
				}
				foreign, ok := errors.AsType[*ForeignError](err)
				if !ok || !slices.Equal(foreign.Partitions, []plan.TopicPartition{tp("t", 0)}) {
					s.Errorf("got %v, want t-0 named", err)
				}
				s.want(p.replicas, []int32{5, 1, 3})
				s.want(s.parts[tp("t", 1)].replicas, []int32{4, 1})
				s.clean()
			})
		})
	}
}

// Our move is cancelled or overridden by somebody else: it is named, and not
// fought over.
func TestOwnMoveIsTakenOver(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(s *scene, p *modelPart)
	}{
		{"cancelled", func(s *scene, p *modelPart) { s.cancel(tp("t", 0), p) }},
		{"overridden", func(s *scene, p *modelPart) { s.alter(Target{tp("t", 0), []int32{5, 1}}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, 5, func(s *scene) {
				p := s.moves("t", 0, 100e6, 3, 4, 3, 1)
				p.never = []int32{5}
				s.moves("t", 1, 20e6, 3, 4, 3, 1)
				asked := 0
				s.at(5*time.Second, func() {
					c.do(s, p)
					asked = len(s.log)
				})
				err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan)
				if moved, ok := errors.AsType[*MoveError](err); !ok || moved.TopicPartition != tp("t", 0) || !errors.Is(err, errTaken) {
					s.Errorf("got %v, want t-0 named as taken", err)
				}
				for _, line := range s.log[asked:] {
					if strings.HasPrefix(line, "t-0") {
						s.Errorf("it was fought over: %s", line)
					}
				}
				s.want(s.parts[tp("t", 1)].replicas, []int32{4, 1})
				s.clean()
			})
		})
	}
}

// Another tool wipes every throttle: they are put back, and it is said.
func TestThrottleThatIsWipedIsPutBack(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.link = 10e6
		s.moves("t", 0, 60e6, 3, 4, 3, 1)
		s.at(10*time.Second, func() {
			for _, b := range s.brokers {
				delete(b.configs, LeaderRate)
				delete(b.configs, FollowerRate)
			}
			delete(s.topics["t"], LeaderList)
			delete(s.topics["t"], FollowerList)
		})
		start := time.Now()
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
		if took := time.Since(start); took < 45*time.Second || took > 62*time.Second {
			s.Errorf("took %v", took)
		}
		if said := s.said(PutBack); len(said) != 5 {
			s.Errorf("got %q, want three rates and two lists", said)
		}
	})
}

// The throttle changes while the move is under way.
func TestThrottleChanges(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 60e6, 3, 4, 3, 1)
		s.brokers[4].configs[FollowerRate] = "77000000"
		d := s.driver(Options{BytesPerSec: 1e6})
		s.at(20*time.Second, func() { d.Throttle(4e6) })
		start := time.Now()
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
		if took := time.Since(start); took < 28*time.Second || took > 33*time.Second {
			s.Errorf("took %v, want about 30s", took)
		}
		s.want(s.said(RateIs), []string{"the throttle is 4000000 bytes a second now"})
	})
}

// Internal topics: few at a time, each leader changes once, in elections of
// their own, and the next only when the coordinator on the last one answers.
// Bulk copies meanwhile.
func TestInternalTopicsGoFewAtATime(t *testing.T) {
	for _, cordoned := range []bool{false, true} {
		t.Run(fmt.Sprintf("cordoned %v", cordoned), func(t *testing.T) {
			play(t, 5, func(s *scene) { playInternal(s, cordoned) })
		})
	}
}

func playInternal(s *scene, cordoned bool) {
	if cordoned {
		s.brokers[3].configs[CordonedDirs] = "*"
	}
	for i := range int32(12) {
		s.moves("__consumer_offsets", i, 1e6, 3, 4+i%2, 3, 1, 2)
		// The planner leaves leadership with the survivor.
		m := &s.plan.Moves[len(s.plan.Moves)-1]
		m.LeadsFirst, m.After = 1, first(m.After, 1)
	}
	for i := range int32(4) {
		s.moves("bulk", i, 20e6, 3, 4+i%2, 3, 1, 2)
	}
	led := map[plan.TopicPartition][]int32{}
	for tp, p := range s.parts {
		led[tp] = []int32{p.leader}
	}
	var beside bool
	s.watch = func() {
		var loading, internal, bulk int
		for tp, p := range s.parts {
			if l := led[tp]; l[len(l)-1] != p.leader {
				led[tp] = append(l, p.leader)
			}
			switch {
			case tp.Topic != "bulk" && time.Now().Before(s.loading[tp]):
				loading++
			case len(p.adding) > 0 && tp.Topic == "bulk":
				bulk++
			case len(p.adding) > 0:
				internal++
			}
		}
		if loading > batchInternal || internal > flightsInternal {
			s.Errorf("%d coordinators load, %d moves of internal topics are in flight", loading, internal)
		}
		beside = beside || loading > 0 && bulk > 0
	}
	if err := s.driver(Options{BytesPerSec: 10e6}).Move(s.Context(), s.plan); err != nil {
		s.Fatal(err)
	}
	s.done()
	for tp, l := range led {
		if tp.Topic != "bulk" && !slices.Equal(l, []int32{3, 1}) {
			s.Errorf("%v was led by %v, want one change", tp, l)
		}
	}
	if !beside {
		s.Error("no bulk was copied while coordinators loaded")
	}
	s.wantElectionsApart()
}

// wantElectionsApart fails if an election was large, or of both kinds of topics.
func (s *scene) wantElectionsApart() {
	s.Helper()
	for _, of := range s.elections {
		kinds := map[bool]int{}
		for _, tp := range of {
			kinds[slices.Contains(internalTopics, tp.Topic)]++
		}
		if len(kinds) > 1 || kinds[true] > batchInternal || kinds[false] > batchElections {
			s.Errorf("an election named %v", of)
		}
	}
}

// A topic whose factor is under its min ISR takes acks=all during the whole
// move: never has it fewer in sync than the minimum that then applies.
func TestFactorUnderMinISRTakesWrites(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.defaults[MinISR] = "2"
		s.moves("log", 0, 5e6, 3, 4, 3)
		s.moves("log", 1, 5e6, 3, 5, 3)
		s.moves("pay", 0, 5e6, 3, 5, 3, 1, 2)
		s.watch = func() {
			for tp, p := range s.parts {
				need := 2
				if s.topics[tp.Topic][MinISR] == "1" {
					need = 1
				}
				if need = min(need, len(p.replicas)); len(p.isr) < need {
					s.Errorf("%v has %d in sync, acks=all needs %d", tp, len(p.isr), need)
				}
			}
			if v, ok := s.topics["pay"][MinISR]; ok {
				s.Errorf("pay has its min ISR set to %s", v)
			}
		}
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
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
		if !ok || !strings.HasPrefix(stall.Stuck[0].Why, "a throttle of 1000000 bytes a second is under what is written to it: at least 47") {
			s.Errorf("got %v", err)
		}
		if said := s.said(TooSlow); len(said) != 2 {
			s.Errorf("got %q, want one for each end", said)
		}
	})
}

// Nothing new starts while a broker that has nothing to do with it is away.
func TestBreaker(t *testing.T) {
	for _, back := range []bool{true, false} {
		t.Run(fmt.Sprintf("comes back %v", back), func(t *testing.T) {
			play(t, 6, func(s *scene) {
				for i := range int32(30) {
					s.moves("t", i, 5e6, 3, 4, 3, 1)
				}
				s.plan.Brokers = []int32{3}
				var asked int
				s.at(20*time.Second, func() { s.kill(6) })
				s.at(21*time.Second, func() { asked = len(s.log) })
				s.at(60*time.Second, func() {
					for _, line := range s.log[asked:] {
						if strings.Contains(line, " to [") && !strings.Contains(line, "to [4 1]") {
							s.Errorf("a move began while broker 6 was away: %s", line)
						}
					}
					if back {
						s.revive(6)
					}
				})
				err := s.driver(Options{BytesPerSec: 1e6, StallAfter: 3 * time.Minute}).Move(s.Context(), s.plan)
				s.want(s.said(Paused), []string{"nothing new starts while broker 6 is away"})
				if back {
					if err != nil {
						s.Error(err)
					}
					s.want(len(s.said(Resumed)), 1)
					s.done()
					return
				}
				if stall, ok := errors.AsType[*StallError](err); !ok || stall.Cause != "waits until it is no longer so that broker 6 is away" {
					s.Errorf("got %v, want it to name what it waits for", err)
				}
				s.clean()
			})
		})
	}
}

// Log dirs are named before the replica exists.
func TestLogDirsAreNamed(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 1e6, 3, 4, 3, 1)
		s.plan.Moves[0].Dirs = []string{"/d2"}
		if err := s.driver(Options{}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		place, move := slices.Index(s.log, "t-0 on 4 goes to /d2"), slices.Index(s.log, "t-0 to [1 4]")
		if place < 0 || move < place {
			s.Errorf("got %q", s.log)
		}
		s.done()
	})
}

// A cancel is quiet within a look, and gives the order of the replicas back.
func TestCancel(t *testing.T) {
	play(t, 5, func(s *scene) {
		for i := range int32(8) {
			s.moves("t", i, 50e6, 3, 4+i%2, 3, 1, 2)
		}
		ctx, cancel := context.WithCancel(s.Context())
		s.at(10*time.Second, cancel)
		d := s.driver(Options{BytesPerSec: 2e6})
		if err := d.Move(ctx, s.plan); !errors.Is(err, context.Canceled) {
			s.Errorf("got %v", err)
		}
		start := time.Now()
		if err := d.Cancel(s.Context()); err != nil {
			s.Fatal(err)
		}
		if took := time.Since(start); took > time.Second {
			s.Errorf("took %v to be quiet", took)
		}
		for _, m := range s.plan.Moves {
			s.want(s.parts[m.TopicPartition].replicas, m.Before)
		}
		s.clean()
	})
}

// Two loads of a request come for one topic, and an entry that stood before is
// not given back.
func TestEntriesOfOthersStay(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 10e6, 3, 4, 3, 1)
		s.topics["t"][LeaderList] = "0:1,7:9"
		s.topics["t"][FollowerList] = ""
		s.at(5*time.Second, func() { s.topics["t"][LeaderList] += ",8:9" })
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.before["topic t "+LeaderList] = "0:1,7:9,8:9"
		s.done()
	})
}

// A cordon outlives the moves, and is given back on demand.
func TestCordon(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 1e6, 3, 4, 3, 1)
		s.brokers[3].configs[CordonedDirs] = "/d1"
		d := s.driver(Options{BytesPerSec: 1e6})
		if err := d.Cordon(s.Context(), 3); err != nil {
			s.Fatal(err)
		}
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.want(s.brokers[3].configs[CordonedDirs], "*")
		s.want(len(d.Debts()), 1)
		if err := d.Uncordon(s.Context()); err != nil {
			s.Error(err)
		}
		s.done()
	})
}
