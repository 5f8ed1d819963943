package executor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"drain/plan"
	"drain/runbooks"
)

// confirmStep watches the cluster after a stop: the broker stays away, nobody
// else leaves, and nothing is worse than was proven.
type confirmStep struct {
	*run
	broker int32

	length  time.Duration
	live    []int32  // brokers just before the stop
	proven  []Health // what may be worse
	leaving []int32

	back  int                   // looks in a row that saw the broker
	worse map[plan.Finding]bool // in the last picture

	unseen, unpictured silence // of looks, and of pictures
}

// healthEvery lies between two pictures of the whole cluster.
const healthEvery = 5 * time.Second

func (s *confirmStep) observe(ctx context.Context) (string, error) {
	rb := s.cfg.Runbook
	s.length = rb.Confirm
	if least := s.sessionTimeout(ctx) * 3 / 2; s.length < least {
		s.say(EventProgress, "confirm is %v: watching for %v, 1.5 times the session timeout", s.length, least)
		s.length = least
	}
	h := s.history()
	s.leaving = union(h.stopped(), []int32{s.broker})
	s.live = without(h.baseline.live, s.leaving)
	for _, p := range h.slots {
		if p.kind == runbooks.Stop && p.broker == s.broker && p.acted > 0 {
			s.live, s.proven = without(p.act.Live, s.leaving), p.act.Proven
		}
	}
	return "", nil
}

func (s *confirmStep) act(ctx context.Context) error {
	end := time.Now().Add(s.length)
	s.say(EventProgress, "watching the cluster until %s", end.Format(time.TimeOnly))
	next := time.Now() // of the pictures
	for {
		if err := s.who(ctx); err != nil {
			return err
		}
		over := time.Now().After(end)
		if over || !time.Now().Before(next) {
			if err := s.how(ctx); err != nil {
				return err
			}
			if over && s.clear() {
				return nil
			}
			next = time.Now().Add(healthEvery)
		}
		if err := pause(ctx, s.cfg.Runbook.Poll); err != nil {
			return err
		}
	}
}

// who looks at who is there.
func (s *confirmStep) who(ctx context.Context) error {
	seen, err := s.look(ctx, s.broker, s.live)
	if failed := s.heard(ctx, &s.unseen, err); failed != nil || err != nil {
		return failed
	}
	if len(seen.missing) > 0 {
		return fmt.Errorf("%w: after broker %d was stopped, %w", ErrStop, s.broker, left(seen.missing))
	}
	if s.back++; !seen.target {
		s.back = 0
	}
	if s.back > 1 {
		return fmt.Errorf("%w: broker %d is back in the cluster: was it restarted by its supervisor? disable it there, stop the broker by hand, since its command is not run twice, and run again", ErrStop, s.broker)
	}
	return nil
}

// heard bears with the silence of one question for a while.
func (s *confirmStep) heard(ctx context.Context, of *silence, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if of.tooLong(err) {
		return fmt.Errorf("%w: the cluster no longer answers: %w", ErrStop, err)
	}
	return nil
}

// how takes a picture of the whole cluster. What is worse in two of them in a
// row is worse.
func (s *confirmStep) how(ctx context.Context) error {
	c, _, err := s.scan(ctx, s.live)
	if failed := s.heard(ctx, &s.unpictured, err); failed != nil || err != nil {
		return failed
	}
	now := map[plan.Finding]bool{}
	var again []plan.Finding
	for _, f := range s.unexpected(&c) {
		now[f] = true
		if s.worse[f] {
			again = append(again, f)
		}
	}
	s.worse = now
	if len(again) > 0 {
		return &Refusal{Kind: ErrStop, Text: fmt.Sprintf("after broker %d was stopped the cluster is worse than proven; start it again if it was the cause:", s.broker), Findings: again}
	}
	return nil
}

// clear says that the last answer to each question leaves nothing to look at again.
func (s *confirmStep) clear() bool {
	return s.unseen.over() && s.unpictured.over() && s.back == 0 && len(s.worse) == 0
}

// unexpected is what is worse than before the run and was not proven to be.
func (s *confirmStep) unexpected(c *plan.Cluster) []plan.Finding {
	before := s.history().baseline
	return slices.DeleteFunc(before.worse(c, s.leaving), func(f plan.Finding) bool {
		return slices.ContainsFunc(s.proven, func(p Health) bool {
			return p.Partition == Partition{Topic: f.Topic, Partition: f.Partition}
		})
	})
}

func (s *confirmStep) verify(context.Context) (string, error) {
	return fmt.Sprintf("watched for %v: broker %d stays away, nobody else left, nothing is worse than before", s.length, s.broker), nil
}
