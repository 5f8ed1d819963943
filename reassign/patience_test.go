package reassign

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

var errLost = errors.New("connection refused")

// lose lets the requests of a kind, or their answers, be lost for a while.
func (s *scene) lose(request string, during time.Duration) {
	end := time.Now().Add(during)
	s.fault = func(r string) error {
		if r == request && time.Now().Before(end) {
			return errLost
		}
		return nil
	}
}

// underWay is a driver that was interrupted with two moves in flight.
func (s *scene) underWay(size float64) *Driver {
	s.moves("t", 0, size, 3, 4, 3, 1, 2)
	s.moves("t", 1, size, 3, 4, 1, 3, 2)
	ctx, cancel := context.WithCancel(s.Context())
	s.at(10*time.Second, cancel)
	d := s.driver(Options{BytesPerSec: 1e6})
	if err := d.Move(ctx, s.plan); !errors.Is(err, context.Canceled) {
		s.Fatalf("got %v, want an interrupt", err)
	}
	return d
}

// One request that was lost ended a cancel: the moves went on, and what they
// needed of settings stayed.
func TestACancelBearsLostRequests(t *testing.T) {
	t.Parallel()
	for _, request := range []string{"list", "metadata", "brokers", "alter", "alter answer", "configs", "alter configs"} {
		t.Run(request, func(t *testing.T) {
			play(t, 4, func(s *scene) {
				d := s.underWay(60e6)
				s.lose(request, 20*time.Second)
				if err := d.Cancel(s.Context()); err != nil {
					s.Error(err)
				}
				s.want(s.parts[tp("t", 0)].replicas, []int32{3, 1, 2})
				s.want(s.parts[tp("t", 1)].replicas, []int32{1, 3, 2})
				s.clean()
			})
		})
	}
}

// What a person gets to know after two minutes is why, and what goes on.
func TestACancelThatIsNeverAnsweredEnds(t *testing.T) {
	play(t, 4, func(s *scene) {
		d := s.underWay(600e6)
		s.lose("alter", time.Hour)
		began := time.Now()
		err := d.Cancel(s.Context())
		flying, ok := errors.AsType[*InFlightError](err)
		if !ok || len(flying.Partitions) == 0 || !errors.Is(err, errLost) {
			s.Errorf("got %v, want the cause and what is in flight", err)
		}
		if took := time.Since(began).Round(10 * time.Second); took != patience {
			s.Errorf("it took %v", took)
		}
	})
}

// A refusal that will not pass is no lost request.
func TestACancelThatIsRefusedEndsSoon(t *testing.T) {
	play(t, 4, func(s *scene) {
		d := s.underWay(60e6)
		s.refuse[tp("t", 0)] = 31 // CLUSTER_AUTHORIZATION_FAILED
		began := time.Now()
		err := d.Cancel(s.Context())
		if err == nil || !strings.Contains(err.Error(), "cancel the move of t-0: CODE_31") {
			s.Errorf("got %v", err)
		}
		if took := time.Since(began); took > 10*time.Second {
			s.Errorf("it took %v", took)
		}
	})
}

// One that passes is borne like a lost request: a controller is elected meanwhile.
func TestACancelOutlivesTheElectionOfAController(t *testing.T) {
	play(t, 4, func(s *scene) {
		d := s.underWay(60e6)
		s.refuse[tp("t", 0)] = codeNotController
		s.at(20*time.Second, func() { delete(s.refuse, tp("t", 0)) })
		if err := d.Cancel(s.Context()); err != nil {
			s.Error(err)
		}
		s.clean()
	})
}

// With nothing owed there is nothing to ask, so that a lost request is no failure.
func TestSettleAsksNothingWhereNothingIsOwed(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 1e6, 3, 4, 3, 1, 2)
		d := s.driver(Options{BytesPerSec: 1e6})
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.lose("list", time.Hour)
		if err := d.Settle(s.Context()); err != nil {
			s.Error(err)
		}
	})
}
