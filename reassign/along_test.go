package reassign

import (
	"errors"
	"slices"
	"testing"
	"time"

	"drain/plan"
)

// cordon closes a broker by the rules of 4.3.2 and later: every list that holds
// it is refused.
func (m *model) cordon(b int32) { m.brokers[b].configs[CordonedDirs] = "*" }

// replicated adds topics of factor three led by broker 1, which leaves.
func (s *scene) replicated(n int32) {
	for i := range n {
		s.moves("pay", i, 5e6, 1, 4+i%2, 1, 2, 3)
	}
}

// copiesFrom fails the test when bytes are copied from the broker.
func (s *scene) copiesFrom(broker int32) func() {
	return func() {
		for _, tp := range s.sorted() {
			p := s.parts[tp]
			for _, to := range p.adding {
				if p.leader == broker && p.copied[to] > 0 {
					s.Errorf("%v is copied from broker %d", tp, broker)
				}
			}
		}
	}
}

// Broker 1 is cordoned before the move: no list may hold it. Leadership goes
// along with each move, before a byte is copied, and nothing is refused.
func TestLeadersGoAlongWithTheMoves(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.replicated(8)
		s.moves("log", 0, 5e6, 1, 4, 1)
		s.cordon(1)
		pay := s.copiesFrom(1)
		s.watch = func() {
			if len(s.parts[tp("log", 0)].adding) == 0 {
				pay()
			}
		}
		if err := s.driver(Options{BytesPerSec: 10e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
		s.want(s.said(Refused), []string{})
		s.want(s.said(Retried), []string{})
		at := slices.Index(s.log, "pay-0 to [2 4 3]")
		if at < 0 || !slices.Contains(s.log[at:], "pay-0 led by 2") {
			s.Errorf("pay-0 was not requested with broker 2 first and led by it: %v", s.log)
		}
	})
}

// Somebody cordons the broker during the run, or its cordon could not be read:
// the first refusal tells, is said once, and no move waits for it.
func TestARefusedOrderSendsLeadersAlong(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.replicated(8)
		s.fault = func(request string) error {
			if request == "configs" && s.brokers[1].configs[CordonedDirs] == "" {
				s.cordon(1)
				return errors.New("connection reset")
			}
			return nil
		}
		d := s.driver(Options{BytesPerSec: 10e6})
		s.before["broker 1 "+CordonedDirs] = "*"
		start := time.Now()
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
		s.want(s.said(Refused), []string{})
		s.want(s.said(Retried), []string{"no list may hold broker 1 any more (pay-0: INVALID_REPLICA_ASSIGNMENT): leadership leaves it with the moves"})
		barred := slices.IndexFunc(s.told, func(e Event) bool { return e.Kind == Retried })
		if b, ok := s.told[barred].About(); b != 1 || !ok {
			s.Errorf("that is about broker %d, %t; want 1", b, ok)
		}
		if took := time.Since(start); took > 8*time.Second {
			s.Errorf("took %v, want what 20 MB take at 10 MB/s and little more", took)
		}
	})
}

// The election at the start fails: it is asked for again while Kafka copies,
// and said once.
func TestALeaderThatDidNotGoAlongFollows(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.moves("pay", 0, 50e6, 1, 4, 1, 2, 3)
		s.cordon(1)
		failures := 3
		s.fault = func(request string) error {
			if request == "elect" && failures > 0 {
				failures--
				return errors.New("elect: connection reset")
			}
			return nil
		}
		led := time.Duration(-1)
		start := time.Now()
		s.watch = func() {
			if p := s.parts[tp("pay", 0)]; p.leader == 2 && led < 0 {
				led = time.Since(start)
			}
		}
		if err := s.driver(Options{BytesPerSec: 10e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
		if led < 0 || led > 3*time.Second {
			s.Errorf("broker 2 led after %v, want within three seconds", led)
		}
	})
}

// No more than a batch of leaders changes at once, whatever the scheduler lets
// start.
func TestLeadersGoAlongInBatches(t *testing.T) {
	play(t, 5, func(s *scene) {
		s.replicated(3 * batchElections)
		s.cordon(1)
		if err := s.driver(Options{MaxInFlightPerBroker: 1000}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
		s.wantElectionsApart()
	})
}

// The scheduler counts the source that will feed the copies, not the broker
// that hands over.
func TestSourceOfAMoveThatHandsOver(t *testing.T) {
	t.Parallel()
	m := plan.Move{Before: []int32{1, 2, 3}, After: []int32{4, 2, 3}, From: []int32{1}, To: []int32{4}, Leader: 1, LeadsDuring: 2, LeadsFirst: 4}
	tests := []struct {
		name  string
		stage stage
		along bool
		isr   []int32
		want  int32
	}{
		{"it goes along", waiting, true, []int32{1, 2, 3}, 2},
		{"the order comes first", waiting, false, []int32{1, 2, 3}, 1},
		{"the next leader is out of sync", waiting, true, []int32{1, 3}, 1},
		{"it is in flight: who leads is known", moving, true, []int32{1, 2, 3}, 1},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrack(m)
			tr.stage, tr.along = c.stage, c.along
			tr.state = PartitionState{Leader: 1, Replicas: []int32{1, 2, 3}, ISR: c.isr}
			if got := tr.source(); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
