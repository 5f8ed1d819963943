package reassign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/plan"
)

// The drained broker is down already; nothing is sent to it.
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

// A topic is gone when its throttles are to be taken off.
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

// Settings of an operator's own, after success and after an abort.
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
				want := []string{"broker 1 leader.replication.throttled.rate stays at 500 kB/s, which somebody else has set"}
				s.want(s.said(Left), want)
			})
		})
	}
}

// No value may be longer than a record takes.
func TestListsStayShort(t *testing.T) {
	if raced {
		t.Skip("thousands of moves take minutes under the race detector")
	}
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

// The settings of a move that goes on outlive those of one that is done.
func TestSettingsOfOtherMovesStay(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("small", 0, 1e6, 3, 4, 3, 1)
		s.moves("large", 0, 60e6, 3, 4, 3, 1)
		s.at(20*time.Second, func() {
			s.want(s.topics["small"][LeaderList]+s.topics["small"][FollowerList], "")
			s.want(s.topics["large"][LeaderList], "0:1,0:3")
			s.want(s.topics["large"][FollowerList], "0:4")
			s.want(s.brokers[4].configs[FollowerRate], "950000")
			s.want(s.brokers[1].configs[LeaderRate], "950000")
		})
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
	})
}

// An empty plan asks for no setting of any kind.
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
		if took := time.Since(start); took < 45*time.Second || took > 66*time.Second {
			s.Errorf("took %v", took)
		}
		if said := s.said(PutBack); len(said) != 5 {
			s.Errorf("got %q, want three rates and two lists", said)
		}
	})
}

// What an operator set on a broker while we held a debt there was lost: it was
// replaced, and what had been there before the run was given back instead. A
// higher rate is replaced meanwhile and a lower one stays, also while ours still
// rises; in either case it is theirs at the end, to the byte.
func TestWhatAnOperatorSetsMeanwhileIsTheirs(t *testing.T) {
	const told = "broker 1 leader.replication.throttled.rate was set to 077000000 by somebody else: " +
		"it is replaced as long as it is needed for the moves, and 077000000 is given back afterwards"
	for _, c := range []struct {
		name         string
		before, then string
		after        time.Duration
		during       string
		putBack      []string
		left         int
	}{
		{"a higher one where none was", "", "077000000", 15 * time.Second, "950000", []string{told}, 0},
		{"a higher one where another was", "5000000", "077000000", 15 * time.Second, "950000", []string{told}, 0},
		{"a lower one", "5000000", "700000", 15 * time.Second, "700000", nil, 1},
		{"a lower one while ours rises", "", "700000", 2 * time.Second, "700000", nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, 4, func(s *scene) {
				s.moves("t", 0, 30e6, 3, 4, 3, 1)
				of := s.brokers[1].configs
				if c.before != "" {
					of[LeaderRate] = c.before
				}
				s.at(c.after, func() { of[LeaderRate] = c.then })
				s.at(20*time.Second, func() { s.want(of[LeaderRate], c.during) })
				if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
					s.Fatal(err)
				}
				s.want(s.said(PutBack), c.putBack)
				s.want(len(s.said(Left)), c.left)
				s.before["broker 1 "+LeaderRate] = c.then
				s.done()
			})
		})
	}
}

// The run dies once it has written an operator's newer rate down, before or after
// it replaces it; whoever pays the debts then gives that one back.
func TestAnOperatorsRateOutlivesACrash(t *testing.T) {
	for _, replaced := range []bool{false, true} {
		t.Run(fmt.Sprintf("replaced %v", replaced), func(t *testing.T) {
			play(t, 4, func(s *scene) {
				s.moves("t", 0, 30e6, 3, 4, 3, 1)
				ctx, die := context.WithCancel(s.Context())
				s.at(15*time.Second, func() {
					s.brokers[1].configs[LeaderRate] = "77000000"
					s.fault = func(request string) error {
						if strings.HasPrefix(request, "alter configs") && !replaced || ctx.Err() != nil {
							die()
							return context.Canceled
						}
						return nil
					}
				})
				s.at(17*time.Second, die)
				if err := s.driver(Options{BytesPerSec: 1e6}).Move(ctx, s.plan); err == nil {
					s.Error("a run that died has succeeded")
				}
				s.fault = nil
				if d := s.driver(Options{}); d.Cancel(s.Context()) != nil {
					s.Error("not cancelled")
				}
				s.before["broker 1 "+LeaderRate] = "77000000"
				s.clean()
			})
		})
	}
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
		s.want(s.said(RateIs), []string{"the throttle is now 4 MB/s"})
	})
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

// A cordon outlives the moves that it was made for: it is its maker's to lift.
func TestCordonIsNotGivenBack(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 1e6, 3, 4, 3, 1)
		s.ledger.book.Owe(Debt{Resource: OfBroker(3), Key: CordonedDirs, Set: "*"})
		s.brokers[3].configs[CordonedDirs] = "*"
		d := s.driver(Options{BytesPerSec: 1e6})
		if err := errors.Join(d.Move(s.Context(), s.plan), d.Settle(s.Context())); err != nil {
			s.Fatal(err)
		}
		s.want(s.brokers[3].configs[CordonedDirs], "*")
		s.want(len(d.Debts()), 1)
	})
}
