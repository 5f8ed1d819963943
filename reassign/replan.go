package reassign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"drain/plan"
)

// errNowhere ends a move whose destination failed when no other was found.
var errNowhere = errors.New("its destination failed, and no other was found")

// doomed lists the moves whose destination has been away for long. One that
// cannot be cancelled safely is left to its fate: without the new replica
// nobody in sync, or no leader, would be left.
func (r *run) doomed() []*track {
	return r.in(func(t *track) bool {
		if t.downFor < downFor || t.foreign || t.stage != waiting && t.stage != moving {
			return false
		}
		return !slices.Contains(t.To, t.state.Leader) && len(without(t.state.ISR, t.To)) > 0
	})
}

// giveUp ends a run that stalled. Moves to a destination that failed would wait
// for it for ever, so they are cancelled; the others go on in Kafka.
func (d *Driver) giveUp(ctx context.Context, r *run, why error) error {
	doomed := r.doomed()
	if len(doomed) == 0 || r.waitOnly {
		return fatal{why}
	}
	err := d.cancel(ctx, r, func(t *track) bool { return slices.Contains(doomed, t) })
	if err == nil {
		err = d.unwind(ctx, r, doomed)
	}
	return fatal{errors.Join(why, err)}
}

// replan cancels the moves, puts their replicas in the order they had, and
// takes up the plan that is found instead.
func (d *Driver) replan(ctx context.Context, r *run, doomed []*track) error {
	is := func(t *track) bool { return slices.Contains(doomed, t) }
	if err := d.cancel(ctx, r, is); err != nil {
		return err
	}
	if err := d.unwind(ctx, r, doomed); err != nil {
		return err
	}
	moves := make([]plan.Move, len(doomed))
	for i, t := range doomed {
		moves[i] = t.Move
	}
	p, err := d.opts.Replan(ctx, moves)
	if err != nil {
		return fatal{fmt.Errorf("find other destinations for %d moves: %w", len(moves), err)}
	}
	for _, t := range doomed {
		t.fail(errNowhere)
		d.lost = union(d.lost, without(t.To, r.view.live))
	}
	var found []plan.TopicPartition
	for _, m := range p.Moves {
		if t := r.by[m.TopicPartition]; t != nil && is(t) {
			*t = *r.track(m)
			found = append(found, m.TopicPartition)
		}
	}
	d.owns(p.Moves)
	d.report(Event{Kind: Replanned, Partitions: found, Text: fmt.Sprintf("%s replanned, since their destination failed", listed(found, "is", "are"))})
	return nil
}
