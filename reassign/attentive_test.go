package reassign

import (
	"errors"
	"testing"
	"time"
)

// The controller is away for half a minute, in one request or in several: that
// is told once, and that it is back; and what was copied meanwhile is shown as
// the rate it was, over the time that has really passed.
func TestASilentControllerIsToldOnce(t *testing.T) {
	for _, c := range []struct {
		name   string
		waits  time.Duration // each request
		answer error
		back   string
	}{
		{"one request that waits", 31 * time.Second, nil, "the controller answers again, after 31s"},
		{"requests that fail one after the other", 9 * time.Second, errors.New("no controller"), "the controller answers again, after 37s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, 4, func(s *scene) {
				s.moves("t", 0, 200e6, 3, 4, 3, 1)
				away := time.Now().Add(40 * time.Second)
				back := away.Add(30 * time.Second)
				s.fault = func(request string) error {
					if now := time.Now(); request != "list" || now.Before(away) || now.After(back) {
						return nil
					}
					time.Sleep(c.waits)
					return c.answer
				}
				if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
					s.Fatal(err)
				}
				s.done()
				s.want(s.said(Silent), []string{"no answer from the controller for 5s; moves go on in Kafka"})
				s.want(s.said(Heard), []string{c.back})
				s.ratesStayNear(950_000)
			})
		})
	}
}

// ratesStayNear fails the test if a rate was shown in mid-run that is a tenth off.
func (s *scene) ratesStayNear(rate int64) {
	s.Helper()
	shown := 0
	for _, e := range s.told {
		if e.Kind != Progressed || e.Progress.Bytes < 20e6 || e.Progress.Bytes > 180e6 {
			continue
		}
		if shown++; e.Progress.BytesPerSec < rate*9/10 || e.Progress.BytesPerSec > rate*11/10 {
			s.Errorf("with %d bytes copied a rate of %d was shown, want about %d", e.Progress.Bytes, e.Progress.BytesPerSec, rate)
		}
	}
	if shown < 100 {
		s.Errorf("%d rates were shown, too few to tell anything", shown)
	}
}

// A controller that answers soon is nothing to speak of.
func TestAShortSilenceIsNotTold(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 20e6, 3, 4, 3, 1)
		s.fault = func(request string) error {
			if request == "list" || request == "alter" {
				time.Sleep(silence - 100*time.Millisecond)
			}
			return nil
		}
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.want(append(s.said(Silent), s.said(Heard)...), []string{})
	})
}

// Requests that fail at once are answered: each failure is told as such. They once
// counted as a silence that went on between them.
func TestAControllerThatRefusesAtOnceIsNotSilent(t *testing.T) {
	play(t, 4, func(s *scene) {
		s.moves("t", 0, 60e6, 3, 4, 3, 1)
		away := time.Now().Add(20 * time.Second)
		s.fault = func(request string) error {
			if now := time.Now(); request == "list" && now.After(away) && now.Before(away.Add(20*time.Second)) {
				return errors.New("not authorized")
			}
			return nil
		}
		if err := s.driver(Options{BytesPerSec: 1e6}).Move(s.Context(), s.plan); err != nil {
			s.Fatal(err)
		}
		s.done()
		s.want(append(s.said(Silent), s.said(Heard)...), []string{})
		if n := len(s.said(Retried)); n < 10 {
			s.Errorf("%d failures were told", n)
		}
	})
}
