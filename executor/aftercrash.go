package executor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"drain/executor/child"
	"drain/plan"
	"drain/runbooks"
)

// afterCrash is for a stop that an earlier process began. If the broker has
// left, the stop was done. If not, it may be repeated only once it is certain
// that the first command is over: its process is gone, its time has passed, and
// the others still list the broker (one in controlled shutdown is listed too).
// Until then it is waited for, also after a command that was seen to fail: what it
// began elsewhere, such as over ssh, may go on.
func (s *stopStep) afterCrash(ctx context.Context, p progress) (gone bool, err error) {
	s.say(EventProgress, "the stop of broker %d was begun at %s by an earlier run: waiting for what becomes of it", s.broker, p.actedAt.Format(time.RFC3339))
	err = s.awaitGone(ctx, s.broker, p.act.Live, p.timeIsOver(time.Now()))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, errLeft):
		return false, fmt.Errorf("%w: %w", ErrStop, err)
	case !errors.Is(err, errStays):
		return false, err
	}
	if err := s.endFirst(p); err != nil {
		return false, fmt.Errorf("%w: %w", ErrStop, err)
	}
	return false, nil
}

// endFirst makes sure that a command which an earlier process began is over.
func (r *run) endFirst(p progress) error {
	first := p.runs()
	if first == nil || !r.cfg.Runner.Alive(*first) {
		return nil
	}
	r.say(EventWarn, "the first command (pid %d) is past its time and still runs: it is ended", first.PID)
	if err := r.cfg.Runner.Kill(*first); err != nil {
		return fmt.Errorf("end the first command: %w; it is not repeated while that runs", err)
	}
	if r.cfg.Runner.Alive(*first) {
		return fmt.Errorf("the first command, pid %d, cannot be ended; it is not repeated", first.PID)
	}
	return nil
}

// timeIsOver is when the time of a command that an earlier process began has
// passed for certain: no later than if it had begun now, should the clock of this
// host have been put back since.
func (p progress) timeIsOver(now time.Time) time.Time {
	end := p.actedAt.Add(p.act.Timeout)
	if latest := now.Add(p.act.Timeout); end.After(latest) {
		return latest
	}
	return end
}

// runs is the process of a command that may still be at work: one that nobody
// saw end, or that outlived its kill.
func (p progress) runs() *child.Process {
	if p.exit != nil {
		return p.exit.Survivor
	}
	return p.process
}

// atWork is why a run may not be closed yet: a command of its own may still do its
// work, and a new run, which knows nothing of it, would begin another one beside it.
func (r *run) atWork(h *history) error {
	if err := r.stopping(h); err != nil {
		return err
	}
	for _, key := range slices.SortedFunc(maps.Keys(h.slots), slotKey.compare) {
		p := h.slots[key]
		if of := p.runs(); p.kind == runbooks.Run && of != nil && r.cfg.Runner.Alive(*of) {
			return fmt.Errorf("%w: command %q of this run, pid %d, still runs: wait for its end or end it, and `drain cancel %s` again", ErrBlocked, p.act.Argv, of.PID, r.cfg.Path)
		}
	}
	return nil
}

// stopping is an ErrStop if a stop is in the balance: only a run sees to it.
func (r *run) stopping(h *history) error {
	if open := without(h.stopsBegun(), h.stopped()); len(open) > 0 {
		return fmt.Errorf("%w: the stop of %s was begun and not seen to its end; `drain run %s` sees to it", ErrStop, plan.BrokerNames(open), r.cfg.Path)
	}
	return nil
}
