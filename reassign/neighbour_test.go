package reassign

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/plan"
)

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
			kinds[plan.IsInternal(tp.Topic)]++
		}
		if len(kinds) > 1 || kinds[true] > batchInternal || kinds[false] > batchElections {
			s.Errorf("an election named %v", of)
		}
	}
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
