package executor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drain/runbooks"
)

// errWindow is the end of the hours in which moves may start.
var errWindow = errors.New("the window has closed")

// inWindow moves while the window is open. It is errWindow if it closed before
// all was moved; then nothing of ours is in flight any more.
func (s *moveStep) inWindow(ctx context.Context) error {
	w := s.cfg.Runbook.Window
	if w == nil {
		return s.move(ctx)
	}
	if err := s.awaitWindow(ctx, *w); err != nil {
		return err
	}
	closes := w.Closes(time.Now())
	if closes.IsZero() {
		return s.move(ctx)
	}
	open, cancel := context.WithDeadlineCause(ctx, closes, errWindow)
	defer cancel()
	err := s.move(open)
	if err == nil || !errors.Is(context.Cause(open), errWindow) {
		return err
	}
	return errors.Join(errWindow, s.closeWindow(ctx))
}

func (r *run) awaitWindow(ctx context.Context, w runbooks.Window) error {
	opens := w.Next(time.Now())
	if opens.IsZero() {
		return fmt.Errorf("%w: the window never opens", ErrBlocked)
	}
	if wait := time.Until(opens); wait > 0 {
		r.event(Event{Kind: EventWait, Until: opens, Text: "waiting for the window, which opens at " + opens.Format(time.RFC3339)})
		return pause(ctx, wait)
	}
	return nil
}

// closeWindow lets the moves in flight finish, or takes them back.
func (s *moveStep) closeWindow(ctx context.Context) error {
	s.say(EventProgress, "the window closes: moves in flight %s", map[bool]string{true: "are cancelled", false: "finish"}[s.cfg.Runbook.WindowEnd == runbooks.Cancel])
	mover := s.newMover()
	s.reach.hold(mover)
	defer s.reach.hold(nil)
	end := mover.Wait
	if s.cfg.Runbook.WindowEnd == runbooks.Cancel {
		end = mover.Cancel
	}
	if err := end(ctx); err != nil {
		return err
	}
	return mover.Settle(ctx)
}
