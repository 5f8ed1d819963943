package reassign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"drain/plan"
)

// Cancel cancels our moves in flight, waits until none is listed, puts the
// replicas of all our partitions in the order they had, which Kafka itself does
// not, and gives the settings back. Moves that somebody else changed are not
// touched. Those of a topic that is being deleted end with it, and are a
// [DeletionError] until then.
func (d *Driver) Cancel(ctx context.Context) error {
	r := newRun(d.ownMoves(), d.opts)
	d.setRate(r)
	err := d.cancel(ctx, r, func(*track) bool { return true })
	if err == nil {
		err = d.unwindAll(ctx, r)
	}
	if queued := r.in(func(t *track) bool { return t.queued() && t.stage == moving }); err == nil && len(queued) > 0 {
		err = r.deletionError(queued)
	}
	return d.leave(ctx, r, errors.Join(append(r.failures(), err)...))
}

func (d *Driver) ownMoves() []plan.Move {
	var own []plan.Move
	for _, m := range d.own {
		own = append(own, m)
	}
	slices.SortFunc(own, func(a, b plan.Move) int { return a.Compare(b.TopicPartition) })
	return own
}

// cancel cancels the moves in flight that are picked, and returns once none is
// listed any more. It never puts another target over one in flight: Kafka would
// compute it from the full list, adding replicas included, and may never end.
func (d *Driver) cancel(ctx context.Context, r *run, pick func(*track) bool) error {
	return d.patiently(ctx, r.pause, func() (over bool, err error) {
		v, err := d.look(ctx, r)
		if err != nil {
			return false, err
		}
		r.take(v)
		flying := r.in(func(t *track) bool {
			f, listed := v.listed[t.TopicPartition]
			return listed && t.owns(f) && pick(t) && !t.queued()
		})
		if len(flying) == 0 {
			return true, nil
		}
		err = d.askCancel(ctx, r, flying)
		r.changed = err == nil // it shows soon
		return false, err
	})
}

func (d *Driver) askCancel(ctx context.Context, r *run, tracks []*track) error {
	if err := d.announce(ctx, tracks); err != nil {
		return err
	}
	for _, t := range tracks {
		t.unsure = true // it may be at either end now
	}
	for part := range slices.Chunk(tracks, d.opts.chunk()) {
		targets := make([]Target, len(part))
		for i, t := range part {
			targets[i] = Target{TopicPartition: t.TopicPartition}
		}
		refused, err := d.Mover.Alter(ctx, targets)
		if err != nil {
			return fmt.Errorf("cancel %s: %w", plan.Count(len(part), "move", "moves"), err)
		}
		if of := accepted(part, refused); len(of) > 0 {
			d.report(Event{Kind: Cancelled, Partitions: of, Text: listed(of, "is", "are") + " cancelled"})
		}
		if err := r.stillFlying(r.queueAll(refused)); err != nil {
			return err
		}
	}
	return nil
}

// stillFlying is the first refusal of a cancel that leaves a move in flight. One
// that will not pass is asked for a few times, since it was seen in flight just now.
func (r *run) stillFlying(refused []PartitionError) error {
	for _, e := range refused {
		t := r.by[e.TopicPartition]
		err := fmt.Errorf("cancel the move of %w", e)
		switch t.tries++; {
		case e.Code == codeNothingInFlight:
		case passing(e.Code):
			return err
		case t.tries >= mostTries:
			return fatal{err}
		}
	}
	return nil
}
