package reassign

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// Where brokers do not tell the rates that are set, ours are made and given back
// all the same, also by a run that goes on after another has died.
func TestRatesThatAreNotTold(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.secret = true
		s.moves("t", 0, 40e6, 3, 4, 3, 1)
		died := errors.New("died")
		s.ledger.crash = func(record int) error {
			if strings.HasPrefix(s.ledger.records[record-1], "submit") {
				return died
			}
			return nil
		}
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); !errors.Is(err, died) {
			s.Fatal(err)
		}
		s.ledger.crash = nil
		d := s.driver(Options{BytesPerSec: 1e6})
		s.at(20*time.Second, func() {
			s.want(s.brokers[4].configs[FollowerRate], "950000")
			d.Throttle(2e6)
		})
		s.at(25*time.Second, func() { s.want(s.brokers[4].configs[FollowerRate], "1930095") })
		if err := d.Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
	})
}

// A request without an answer may not have been carried out, and the reading
// does not tell: it is made again.
func TestRateThatIsNotToldIsMadeSure(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.secret = true
		s.moves("t", 0, 10e6, 3, 4, 3, 1)
		lost := false
		s.fault = func(request string) error {
			if request == "alter configs" && !lost {
				lost = true
				return errors.New("the connection broke before it was sent")
			}
			return nil
		}
		s.at(8*time.Second, func() { s.want(s.brokers[4].configs[FollowerRate], "950000") })
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
	})
}

// A rate of somebody else that is not told could not be given back: it is left
// alone, unless a person agrees to lose it.
func TestForeignRateThatIsNotTold(t *testing.T) {
	for name, forget := range map[string]bool{"it is left alone": false, "it is lost with consent": true} {
		t.Run(name, func(t *testing.T) {
			play(t, 4, func(s *scene) {
				s.secret = true
				p := s.moves("t", 0, 10e6, 3, 4, 3, 1)
				s.brokers[4].configs[FollowerRate] = "777"
				err := s.driver(Options{BytesPerSec: 1e6, StallAfter: time.Minute, ForgetHiddenThrottle: forget}).Move(s.Context(), s.plan)
				if forget {
					delete(s.before, "broker 4 "+FollowerRate)
					s.done()
					return
				}
				if stall, ok := errors.AsType[*StallError](err); !ok || !strings.Contains(stall.Cause, "broker 4 "+FollowerRate+": somebody else has set it") {
					s.Errorf("got %v, want a stall that names the rate of broker 4", err)
				}
				s.want(len(p.adding), 0)
				s.clean()
			})
		})
	}
}
