package executor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drain/runbooks"
)

// step is one step of a runbook. All have the same shape.
type step interface {
	// observe looks first. If there is nothing to do, it says why.
	observe(ctx context.Context) (already string, err error)
	// act does it, each part after its record.
	act(ctx context.Context) error
	// verify sees that it is done, and says so in a line.
	verify(ctx context.Context) (outcome string, err error)
}

// step makes the step of an action.
func (r *run) step(a Action) step {
	switch a.Kind {
	case runbooks.Check:
		return &checkStep{run: r}
	case runbooks.Cordon:
		return &cordonStep{run: r}
	case runbooks.Move:
		return &moveStep{run: r}
	case runbooks.Verify:
		return &verifyStep{run: r}
	case runbooks.Stop:
		return &stopStep{run: r, broker: a.Broker}
	case runbooks.Confirm:
		return &confirmStep{run: r, broker: a.Broker}
	case runbooks.Run:
		return &runStep{run: r, spec: *r.cfg.Runbook.Steps[a.Step-1].Run, again: a.Again}
	case runbooks.Approve:
		return &approveStep{run: r, text: r.cfg.Runbook.Steps[a.Step-1].Approve}
	case runbooks.Unregister:
		return &unregisterStep{run: r, broker: a.Broker}
	}
	panic(fmt.Sprintf("executor: no step of kind %q", a.Kind))
}

// errAgain ends a step whose records make another one necessary first.
var errAgain = errors.New("something else comes first")

// take takes one step, and writes down that it began and how it ended.
func (r *run) take(ctx context.Context, a Action) error {
	if err := r.append(Record{Kind: KindBegin}); err != nil {
		return err
	}
	r.event(Event{Kind: EventStep})
	kind, outcome, err := r.carryOut(ctx, r.step(a))
	if errors.Is(err, errAgain) {
		return nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", a.Kind, err)
		if context.Cause(ctx) != nil {
			return err // interrupted is not failed
		}
		return errors.Join(err, r.append(Record{Kind: KindFail, Text: err.Error()}))
	}
	if err := r.append(Record{Kind: KindEnd, Text: outcome}); err != nil {
		return err
	}
	r.event(Event{Kind: kind, Text: outcome})
	return nil
}

func (r *run) carryOut(ctx context.Context, s step) (kind EventKind, outcome string, err error) {
	do := func(ctx context.Context) error {
		if outcome, err = s.observe(ctx); err != nil || outcome != "" {
			kind = EventSkip
			return err
		}
		if err = s.act(ctx); err != nil {
			return err
		}
		kind = EventDone
		outcome, err = s.verify(ctx)
		return err
	}
	switch r.slot.Kind {
	case runbooks.Stop, runbooks.Confirm, runbooks.Unregister, runbooks.Run:
		// What was issued is watched to its end, whatever the time. The gate
		// before a stop has the deadline of its own accord.
		err = do(ctx)
	default:
		err = r.within(ctx, do)
	}
	return kind, outcome, err
}

// within does something before the deadline, if there is one.
func (r *run) within(ctx context.Context, do func(context.Context) error) error {
	if r.deadline.IsZero() {
		return do(ctx)
	}
	limited, cancel := context.WithDeadlineCause(ctx, r.deadline, fmt.Errorf("%w of %v", ErrDeadline, r.cfg.Runbook.Deadline))
	defer cancel()
	err := do(limited)
	if cause := context.Cause(limited); err != nil && errors.Is(cause, ErrDeadline) && !errors.Is(err, ErrDeadline) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// lookAtClock is how often a wait for a time of day looks at the clock, which may
// be set meanwhile.
const lookAtClock = 30 * time.Second

// pauseUntil waits until the clock of this host shows a time, or ends with the
// cause of ctx.
func pauseUntil(ctx context.Context, at time.Time) error {
	for {
		left := time.Until(at.Round(0)) // by the clock, whatever a timer would say
		if left <= 0 {
			return nil
		}
		if err := pause(ctx, min(left, lookAtClock)); err != nil {
			return err
		}
	}
}

// pause waits, or ends with the cause of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
