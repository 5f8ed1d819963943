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
	for {
		v, err := d.look(ctx, r)
		if err != nil {
			return err
		}
		r.take(v)
		flying := r.in(func(t *track) bool {
			f, listed := v.listed[t.TopicPartition]
			return listed && t.owns(f) && pick(t) && !t.queued()
		})
		if len(flying) == 0 {
			return nil
		}
		if err := d.askCancel(ctx, r, flying); err != nil {
			return err
		}
		if err := sleep(ctx, r.opts.Poll/4); err != nil {
			return err
		}
	}
}

func (d *Driver) askCancel(ctx context.Context, r *run, tracks []*track) error {
	if err := d.announce(ctx, tracks); err != nil {
		return err
	}
	targets := make([]Target, len(tracks))
	for i, t := range tracks {
		t.unsure = true // it may be at either end now
		targets[i] = Target{TopicPartition: t.TopicPartition}
	}
	for part := range slices.Chunk(targets, d.opts.chunk()) {
		refused, err := d.Mover.Alter(ctx, part)
		if err != nil {
			return fmt.Errorf("cancel %s: %w", plan.Count(len(part), "move", "moves"), err)
		}
		for _, e := range r.queueAll(refused) {
			t := r.by[e.TopicPartition]
			if t.tries++; e.Code != codeNothingInFlight && t.tries >= mostTries {
				return fmt.Errorf("cancel the move of %w", e)
			}
		}
	}
	d.report(Event{Kind: Cancelled, Partitions: names(tracks), Text: fmt.Sprintf("%s cancelled", listed(names(tracks), "is", "are"))})
	return nil
}
