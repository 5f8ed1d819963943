package executor

import (
	"context"
	"fmt"
	"time"

	"drain/executor/child"
	"drain/runbooks"
)

// runStep runs a command of the runbook's own.
type runStep struct {
	*run
	spec  runbooks.RunStep
	again bool
	exit  *child.Exit // nil: it was not seen to end
}

// observe looks at what an earlier process saw of it. One that was begun and
// not seen to end may have done its work: it is repeated only if it may be, and
// never beside the first.
func (s *runStep) observe(ctx context.Context) (string, error) {
	p := s.history().at(s.slot)
	switch {
	case p.acted == 0:
		return "", nil
	case p.exit != nil && p.exit.Code == 0 && !p.exit.TimedOut:
		return "already run: it " + p.exit.String(), nil
	case p.exit != nil || s.spec.Repeat:
		return "", s.afterCrash(ctx, p)
	}
	return "", &Refusal{Kind: ErrBlocked, Text: fmt.Sprintf(
		"command %q was begun at %s and nobody saw it end; it is not run again, since it does not say repeat: true. "+
			"See in %s what it did. `drain cancel %s` ends this run and gives its settings back, and `drain run` then begins a new one, with this command: take the step out first if its work is done",
		s.spec.Name, p.actedAt.Format("2006-01-02 15:04:05Z07:00"), p.act.Output, s.cfg.Path)}
}

// afterCrash lets the first command have its time, and then makes sure that it
// is over. Where its process was not written down, nobody can tell: its time
// must pass.
func (s *runStep) afterCrash(ctx context.Context, p progress) error {
	first, said := p.runs(), false
	for end := p.timeIsOver(time.Now()); time.Now().Before(end); {
		if p.exit != nil || first != nil && !s.cfg.Runner.Alive(*first) {
			break
		}
		if !said {
			s.event(Event{Kind: EventWait, Until: end, Text: fmt.Sprintf("command %q of an earlier run may still be at work: waiting until %s", s.spec.Name, end.Format(time.TimeOnly))})
			said = true
		}
		if err := pause(ctx, s.cfg.Runbook.Poll); err != nil {
			return err
		}
	}
	if err := s.endFirst(p); err != nil {
		return fmt.Errorf("%w: command %q: %w", ErrBlocked, s.spec.Name, err)
	}
	return nil
}

func (s *runStep) act(ctx context.Context) error {
	if err := s.inTime(ctx); err != nil {
		return err
	}
	c, _, err := s.scan(ctx, s.witnesses(s.history()))
	if err != nil {
		return err
	}
	broker := s.slot.Broker
	if broker == none {
		broker = s.cfg.Runbook.Brokers[0] // the only one, or the command names none: see unfitCommands
	}
	cmd, err := s.command("run-"+s.spec.Name, s.spec.Command, s.spec.Timeout, &c, broker)
	if err != nil {
		return err
	}
	if s.slot.Broker == none {
		cmd.Env[0] = "DRAIN_BROKER=" + joinIDs(s.cfg.Runbook.Brokers)
	}
	if err := s.append(Record{Kind: KindAct, Act: &Act{Argv: cmd.Argv, Output: cmd.Output, Timeout: cmd.Timeout}}); err != nil {
		return err
	}
	s.exit, err = s.issue(ctx, cmd, errand{name: fmt.Sprintf("command %q", s.spec.Name), kind: ErrBlocked})
	return err
}

// inTime is an ErrDeadline if a command before any stop would begin past the
// deadline. What goes with a stop is seen through.
func (s *runStep) inTime(ctx context.Context) error {
	if len(s.history().stopsBegun()) > 0 {
		return nil
	}
	return s.within(ctx, context.Cause)
}

func (s *runStep) verify(context.Context) (string, error) {
	if s.exit.Code != 0 || s.exit.TimedOut {
		return "", fmt.Errorf("%w: command %q %s", ErrBlocked, s.spec.Name, s.exit)
	}
	return fmt.Sprintf("command %q is done", s.spec.Name), nil
}

func joinIDs(ids []int32) string {
	s := ""
	for i, id := range ids {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprint(id)
	}
	return s
}
