package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"drain/plan"
	"drain/runbooks"
)

// errWindow is the end of the hours in which moves may start.
var errWindow = errors.New("the window has closed")

// mostFruitless is how many windows in a row may close on moves of which none was
// completed. One may have been a bad night, or a person raises the throttle by the
// next; after two the same bytes would be copied for nothing night after night.
const mostFruitless = 2

// addWindow counts those windows. A process that goes on begins anew, and so does
// whoever changes the rate.
func (h *history) addWindow(rec Record) {
	switch rec.Kind {
	case KindSubmit:
		h.tried = true
	case KindMoved, KindResume, KindThrottle:
		h.tried, h.fruitless = false, 0
	case KindWindow:
		if h.tried {
			h.fruitless++
		}
		h.tried = false
	}
}

// act moves while the window is open. If that closes before all is moved, the
// step is taken again, with a cordon before it where one was lifted, and waits
// for the next one.
func (s *moveStep) act(ctx context.Context) error {
	w := s.cfg.Runbook.Window
	if w == nil {
		return s.move(ctx)
	}
	late, err := s.late(ctx, *w)
	if err != nil {
		return err
	}
	if late {
		return s.closeWindow(ctx, *w)
	}
	if err := s.awaitWindow(ctx, *w); err != nil {
		return err
	}
	closes := w.Closes(time.Now())
	if closes.IsZero() {
		return s.move(ctx)
	}
	open, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		if pauseUntil(open, closes) == nil {
			end(errWindow)
		}
	}()
	err = s.move(open)
	if err == nil || !errors.Is(context.Cause(open), errWindow) {
		return err
	}
	return s.closeWindow(ctx, *w)
}

// late says that moves of ours are in flight outside of the window: an earlier
// process left them there.
func (s *moveStep) late(ctx context.Context, w runbooks.Window) (bool, error) {
	h := s.history()
	own := h.own()
	if w.Open(time.Now()) || len(own) == 0 {
		return false, nil
	}
	c, _, err := s.scan(ctx, s.witnesses(h))
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(own, func(m plan.Move) bool {
		i, ok := c.Find(m.TopicPartition)
		return ok && c.Partition(i).InFlight()
	}), nil
}

func (r *run) awaitWindow(ctx context.Context, w runbooks.Window) error {
	opens := w.Next(time.Now())
	if opens.IsZero() {
		return fmt.Errorf("%w: the window never opens: look at window.days, window.hours and window.timeZone", ErrBlocked)
	}
	if time.Until(opens) > 0 {
		r.event(Event{Kind: EventWait, Until: opens, Text: "waiting for the window, which opens at " + opens.Format(time.RFC3339)})
	}
	return pauseUntil(ctx, opens)
}

// closeWindow lets the moves in flight finish, or takes them back. It is
// errAgain: the step begins anew.
func (s *moveStep) closeWindow(ctx context.Context, w runbooks.Window) error {
	end := s.letFinish
	if s.cfg.Runbook.WindowEnd == runbooks.Cancel {
		s.say(EventChange, "the window closes: moves in flight are cancelled")
		end = s.takeBack
	} else {
		s.say(EventChange, "the window closes: moves in flight finish")
	}
	if err := end(ctx); err != nil {
		return err
	}
	if err := s.tellClosed(w); err != nil {
		return err
	}
	return errAgain
}

// letFinish waits for the moves in flight, within reach of other shells.
func (r *run) letFinish(ctx context.Context) error {
	mover := r.newMover()
	r.reach.hold(mover)
	defer r.reach.hold(nil)
	if err := mover.Wait(ctx); err != nil {
		return err
	}
	return mover.Settle(ctx)
}

// tellClosed writes down and tells what a window came to. It is an error if there
// is no use in another one like it.
func (s *moveStep) tellClosed(w runbooks.Window) error {
	made, all := s.history().movedOf(s.plan).Totals.Moves, plan.Count(len(s.plan.Moves), "move", "moves")
	text, next := fmt.Sprintf("the window has closed: %d of %s made", made, all), w.Next(time.Now()).Format(time.RFC3339)
	if err := s.append(Record{Kind: KindWindow, Text: text}); err != nil {
		return err
	}
	switch {
	case made == len(s.plan.Moves):
		s.say(EventChange, "%s", text)
	case made > 0:
		s.say(EventChange, "%s, the rest waits for the next, which opens at %s", text, next)
	case s.history().fruitless < mostFruitless:
		s.say(EventWarn, "the window has closed, and none of %s was completed in it; the next opens at %s: widen it, raise the throttle (`drain throttle`), lower maxInFlight, or write windowEnd: finish", all, next)
	default:
		return fmt.Errorf("%w: %d windows in a row have closed, and none of %s was completed in them: widen the window, raise the throttle, lower maxInFlight, or write windowEnd: finish, and run again",
			ErrBlocked, mostFruitless, all)
	}
	return nil
}
