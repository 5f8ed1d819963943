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
		return !t.queued() && !slices.Contains(t.To, t.state.Leader) && len(without(t.state.ISR, t.To)) > 0
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
		err = d.loosen(ctx, r, doomed)
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
	if doomed = slices.DeleteFunc(doomed, (*track).queued); len(doomed) == 0 {
		return nil // they can not be cancelled, and end with their topics
	}
	if err := d.loosen(ctx, r, doomed); err != nil {
		return err
	}
	p, err := d.opts.Replan(ctx, planned(doomed))
	if err != nil {
		return fatal{fmt.Errorf("find other destinations for %s: %w", plan.Count(len(doomed), "move", "moves"), err)}
	}
	found := slices.DeleteFunc(slices.Clone(p.Moves), func(m plan.Move) bool {
		t := r.by[m.TopicPartition]
		return !is(t) || slices.ContainsFunc(intersect(m.To, t.To), func(b int32) bool { return r.broken(t, b) })
	})
	for _, t := range doomed {
		t.fail(errNowhere)
		d.lost = union(d.lost, without(t.To, r.view.live))
	}
	d.takeUp(r, found, "failed")
	return nil
}

// planned are the moves of tracks.
func planned(tracks []*track) []plan.Move {
	moves := make([]plan.Move, len(tracks))
	for i, t := range tracks {
		moves[i] = t.Move
	}
	return moves
}

// takeUp puts moves in the place of those that the run has of the same
// partitions, whose destination is such, and says so.
func (d *Driver) takeUp(r *run, moves []plan.Move, such string) {
	if len(moves) == 0 {
		return
	}
	of := make([]plan.TopicPartition, len(moves))
	for i, m := range moves {
		of[i] = m.TopicPartition
		*r.by[m.TopicPartition] = *r.track(m)
	}
	d.owns(moves)
	d.report(Event{Kind: Replanned, Partitions: of, Text: listed(of, "is", "are") + " replanned, since their destination " + such})
}
