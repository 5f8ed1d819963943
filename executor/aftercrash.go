package executor

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// afterCrash is for a stop that an earlier process began. If the broker has
// left, the stop was done. If not, it may be repeated only once it is certain
// that the first command is over: its process is gone, its time has passed, and
// the others still list the broker (one in controlled shutdown is listed too).
// Until then it is waited for.
func (s *stopStep) afterCrash(ctx context.Context, p progress) (gone bool, err error) {
	end := p.actedAt.Add(p.act.Timeout)
	if p.exit != nil && p.failed > p.acted {
		end = time.Now() // it is over, and was told: only who is there now matters
	}
	s.say(EventProgress, "the stop of broker %d was begun at %s by an earlier run: waiting for what becomes of it", s.broker, p.actedAt.Format(time.RFC3339))
	err = s.awaitGone(ctx, s.broker, p.act.Live, end)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, errLeft):
		return false, fmt.Errorf("%w: %w", ErrStop, err)
	case !errors.Is(err, errStays):
		return false, err
	}
	return false, s.endFirst(p)
}

// endFirst makes sure that the first command is over.
func (s *stopStep) endFirst(p progress) error {
	if p.exit != nil || p.process == nil || !s.cfg.Runner.Alive(*p.process) {
		return nil
	}
	s.say(EventWarn, "the first stop command (pid %d) is past its time and still runs: it is ended", p.process.PID)
	if err := s.cfg.Runner.Kill(*p.process); err != nil {
		return fmt.Errorf("%w: end the first stop command, pid %d: %w", ErrStop, p.process.PID, err)
	}
	if s.cfg.Runner.Alive(*p.process) {
		return fmt.Errorf("%w: the first stop command, pid %d, cannot be ended; it is not repeated", ErrStop, p.process.PID)
	}
	return nil
}
