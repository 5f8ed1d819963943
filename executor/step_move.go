package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"drain/plan"
	"drain/reassign"
)

// moveStep moves the replicas away from the drained brokers.
type moveStep struct {
	*run
	plan    plan.Plan
	halfway bool // the plan is of an earlier process, see history.halfway
	cramped bool // that one has waited for its room in vain
}

// observe plans anew: the cluster may have changed since the plan that was
// agreed to, and what is done already is in no plan any more.
func (s *moveStep) observe(ctx context.Context) (string, error) {
	if err := s.replan(ctx); err != nil {
		return "", err
	}
	_, owed := s.history().cordons()
	if len(s.plan.Moves) > 0 || len(owed) > 0 {
		return "", nil
	}
	if n := len(s.plan.Left); n > 0 {
		return "nothing has to move, " + plan.Count(n, "replica stays", "replicas stay") + " as the plan says", nil
	}
	return plan.BrokerNames(s.cfg.Runbook.Brokers) + " already without replicas", nil
}

// replan plans from a picture of now, and writes the plan down.
func (s *moveStep) replan(ctx context.Context) error {
	h := s.history()
	begun := h.halfway()
	if s.halfway = len(begun) > 0 && !s.cramped; s.halfway {
		s.plan = plan.Plan{Brokers: without(s.cfg.Runbook.Brokers, h.stopped()), Moves: begun}
		return nil
	}
	c, err := s.computeAnew(ctx, h)
	if err != nil {
		return err
	}
	unsettled, err := s.noteUnseen(&c, h)
	if err != nil {
		return err
	}
	if bad := s.plan.Blocked(); len(bad) > 0 {
		return &Refusal{Kind: ErrBlocked, Text: "the replicas cannot be moved:", Findings: bad}
	}
	if err := s.record(s.plan, h.rounds+1); err != nil {
		return err
	}
	s.plan.Moves = alongside(s.plan.Moves, unsettled)
	return nil
}

// computeAnew plans from a picture of now, and returns that.
func (s *moveStep) computeAnew(ctx context.Context, h *history) (c plan.Cluster, err error) {
	err = s.awaitForeign(ctx, func() (_ []plan.Finding, err error) {
		if c, err = s.picture(ctx); err == nil {
			s.plan, err = s.compute(c, h)
		}
		return s.plan.Findings, err
	})
	return c, err
}

// alongside adds the moves of an earlier process that still lack their order or
// leader to those planned anew, which go before them.
func alongside(planned, unsettled []plan.Move) []plan.Move {
	all := slices.Concat(planned, slices.DeleteFunc(unsettled, func(m plan.Move) bool {
		return slices.ContainsFunc(planned, func(p plan.Move) bool { return p.TopicPartition == m.TopicPartition })
	}))
	slices.SortFunc(all, func(a, b plan.Move) int { return a.Compare(b.TopicPartition) })
	return all
}

// move drives the plan, within reach of other shells.
func (s *moveStep) move(ctx context.Context) error {
	mover := s.newMover()
	s.reach.hold(mover)
	defer s.reach.hold(nil)
	err := mover.Move(ctx, s.plan)
	if s.halfway && onlyStalled(err) {
		return s.moveAnew(ctx, err)
	}
	if err == nil {
		err = mover.Settle(ctx)
	}
	if err == nil && s.halfway {
		err = errAgain // the rest is planned once they are where they belong
	}
	return asBlock(err)
}

// asBlock marks an end of the moves that the cluster or somebody else has to be
// seen to for as a block, so that it is one before any change too.
func asBlock(err error) error {
	_, stalled := errors.AsType[*reassign.StallError](err)
	_, foreign := errors.AsType[*reassign.ForeignError](err)
	_, queued := errors.AsType[*reassign.DeletionError](err)
	if stalled || foreign || queued {
		return fmt.Errorf("%w: %w", ErrBlocked, err)
	}
	return err
}

// kindOf says what an event of the mover is to a person.
func kindOf(kind reassign.EventKind) EventKind {
	switch kind {
	case reassign.Progressed:
		return EventProgress
	case reassign.Owed, reassign.Repaid, reassign.RateIs:
		return EventChange
	case reassign.Refused, reassign.Queued, reassign.Foreign, reassign.Stuck, reassign.PutBack, reassign.Left, reassign.TooSlow, reassign.Unheld, reassign.Paused,
		reassign.Silent:
		return EventWarn
	}
	return EventMove
}

// elsewhere finds other destinations for moves whose destination failed, as far
// as no others have to make room there first.
func (r *run) elsewhere(ctx context.Context, failed []plan.Move) (plan.Plan, error) {
	c, err := r.picture(ctx)
	if err != nil {
		return plan.Plan{}, err
	}
	h := r.history()
	p, err := r.compute(c, h, halfBroken(&c, failed)...)
	if err != nil {
		return plan.Plan{}, err
	}
	if bad := p.Blocked(); len(bad) > 0 {
		return plan.Plan{}, &Refusal{Kind: ErrBlocked, Text: "no other destination can be found:", Findings: bad}
	}
	p = some(p, func(m plan.Move) bool {
		return m.Wave == 0 && slices.ContainsFunc(failed, func(f plan.Move) bool { return f.TopicPartition == m.TopicPartition })
	})
	return p, r.record(p, h.rounds+1)
}

// halfBroken are the destinations of moves that live on with a log dir offline. A
// replica that was to be there cannot come to another log dir of the broker before
// its restart (ReplicaManager.getOrCreatePartition: "it resides in an offline log
// directory").
func halfBroken(c *plan.Cluster, moves []plan.Move) []int32 {
	var ids []int32
	for _, m := range moves {
		for _, id := range m.To {
			if b, _ := c.Broker(id); slices.ContainsFunc(b.LogDirs, func(l plan.LogDir) bool { return l.Offline }) {
				ids = union(ids, []int32{id})
			}
		}
	}
	return ids
}

func (s *moveStep) verify(context.Context) (string, error) {
	return "moved: " + summary(s.history().movedOf(s.plan)), nil
}
