package executor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drain/executor/child"
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
