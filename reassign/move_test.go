package reassign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/plan"
)

// The request succeeds, one partition of it does not.
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

// No controller answers for a while.
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

// The topic is deleted and made anew while its partition moves.
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

// A large topic goes in requests that a controller takes.
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
