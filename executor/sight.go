package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"drain/plan"
)

// sight is who is there, as other brokers tell.
type sight struct {
	target  bool    // somebody still lists the target
	missing []int32 // brokers that were live and that nobody lists
}

// errNoWitness is a question with nobody to put it to, which is no answer.
var errNoWitness = errors.New("no broker is left to ask")

// look asks two of the brokers that were live, target aside, who is there. One
// that does not answer is passed over; it is an error if none does, and
// errNoWitness if there is none.
func (r *run) look(ctx context.Context, target int32, live []int32) (sight, error) {
	ask := without(live, []int32{target})
	if len(ask) == 0 {
		return sight{}, errNoWitness
	}
	var seen []int32
	var errs []error
	answers := 0
	for _, via := range ask {
		ids, err := r.cfg.Watcher.BrokersSeenBy(ctx, via)
		if err != nil {
			errs = append(errs, fmt.Errorf("ask broker %d: %w", via, err))
			continue
		}
		seen = append(seen, ids...)
		if answers++; answers == 2 {
			break
		}
	}
	if answers == 0 {
		return sight{}, errors.Join(append(errs, context.Cause(ctx))...)
	}
	return sight{target: slices.Contains(seen, target), missing: without(ask, seen)}, nil
}

const (
	// goneAnswers is how many looks in a row must agree that a broker has left.
	goneAnswers = 3
	// blindFor is how long nobody may answer before a wait is given up.
	blindFor = 30 * time.Second
)

// silence is for how long one question has not been answered. An answer to another
// does not end it: brokers that tell who is there may fail to describe the cluster.
type silence struct {
	since time.Time // zero: it was answered the last time
}

// tooLong takes how the question ended this time. It says whether nobody has
// answered it for more than blindFor, or nobody ever will.
func (s *silence) tooLong(err error) bool {
	switch {
	case err == nil:
		s.since = time.Time{}
		return false
	case errors.Is(err, errNoWitness):
		return true
	case s.over():
		s.since = time.Now()
	}
	return time.Since(s.since) > blindFor
}

func (s *silence) over() bool { return s.since.IsZero() }

// errLeft is another broker that left when it should not.
var errLeft = errors.New("another broker left the cluster")

func left(ids []int32) error { return fmt.Errorf("%w: %s", errLeft, plan.BrokerNames(ids)) }

// errStays is a broker that did not leave in time.
var errStays = errors.New("it is still alive in the cluster")

// awaitGone waits until the other brokers agree that the target has left. It
// is errStays if they still list it at end, and errLeft if another broker
// leaves.
func (r *run) awaitGone(ctx context.Context, target int32, live []int32, end time.Time) error {
	agreed := 0
	for unseen := (silence{}); ; {
		s, err := r.look(ctx, target, live)
		switch {
		case unseen.tooLong(err):
			return fmt.Errorf("no broker tells whether broker %d has left: %w", target, err)
		case err != nil: // for the moment
		case len(s.missing) > 0:
			return left(s.missing)
		case s.target && time.Now().After(end):
			return errStays
		case s.target:
			agreed = 0
		default:
			if agreed++; agreed == goneAnswers {
				return nil
			}
		}
		if err := pause(ctx, r.cfg.Runbook.Poll); err != nil {
			return err
		}
	}
}
