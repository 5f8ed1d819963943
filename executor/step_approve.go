package executor

import (
	"context"
	"errors"
	"fmt"
)

// approveStep waits for a person: at the terminal, or by `drain approve` from
// another shell.
type approveStep struct {
	*run
	text   string
	answer Answer
}

func (s *approveStep) observe(context.Context) (string, error) {
	if s.history().at(s.slot).approved > 0 {
		return "already approved", nil
	}
	if s.cfg.Simulated != "" {
		s.answer = Answer{Who: s.cfg.Who, How: "simulated cluster"}
	}
	return "", nil
}

func (s *approveStep) act(ctx context.Context) error {
	if s.answer.How == "" {
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	return s.append(Record{Kind: KindApproved, Answer: &s.answer})
}

func (s *approveStep) wait(ctx context.Context) error {
	s.event(Event{Kind: EventWait, Text: s.text + " (answer here, or with `drain approve " + s.cfg.Path + "`)"})
	elsewhere := make(chan Answer, 1)
	s.reach.await(elsewhere)
	defer s.reach.await(nil)
	asking, end := context.WithCancel(ctx)
	defer end()
	type reply struct {
		answer Answer
		err    error
	}
	here := make(chan reply, 1)
	if !s.cfg.Yes { // whoever said --yes agreed to the plan, and is not asked here
		go func() {
			answer, err := s.cfg.Confirmer.Ask(asking, s.text)
			here <- reply{answer, err}
		}()
	}
	for {
		select {
		case s.answer = <-elsewhere:
			return nil
		case got := <-here:
			if s.answer = got.answer; got.err == nil {
				return nil
			}
			if !errors.Is(got.err, ErrNobody) {
				return fmt.Errorf("%w: %w", ErrInterrupted, got.err)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *approveStep) verify(context.Context) (string, error) {
	return fmt.Sprintf("approved by %s (%s)", s.answer.Who, s.answer.How), nil
}
