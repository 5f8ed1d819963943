package reassign

import (
	"context"
	"fmt"

	"drain/plan"
)

// shift changes orders and leaders. The election names exactly the partitions
// of this batch: an empty set would mean every partition of the cluster.
func (d *Driver) shift(ctx context.Context, r *run, tracks []*track) error {
	if len(tracks) == 0 {
		return nil
	}
	if waits, err := d.loading(ctx, r); err != nil || waits {
		return err
	}
	shifts, err := d.recheck(ctx, r, tracks)
	if err != nil || len(shifts) == 0 {
		return err
	}
	r.changed = true
	if err := d.reorder(ctx, shifts); err != nil {
		return err
	}
	return d.elect(ctx, r, shifts)
}

// recheck looks again at the partitions, since those that wait were not read
// for a while, and an order made from an old list would move replicas.
func (d *Driver) recheck(ctx context.Context, r *run, tracks []*track) ([]shift, error) {
	if err := d.lookAt(ctx, &r.view, tracks); err != nil {
		return nil, err
	}
	var shifts []shift
	for _, t := range tracks {
		r.takeTrack(t, 0)
		if s, needed := t.shift(); needed && t.odd == 0 {
			t.tries++
			shifts = append(shifts, s)
		}
	}
	return shifts, nil
}

// reorder puts replica lists in order, without data.
func (d *Driver) reorder(ctx context.Context, shifts []shift) error {
	var orders []Target
	var of []*track
	for _, s := range shifts {
		if s.order != nil {
			orders = append(orders, Target{s.TopicPartition, s.order})
			of = append(of, s.track)
		}
	}
	if len(orders) == 0 {
		return nil
	}
	if err := d.announce(ctx, of); err != nil {
		return err
	}
	refused, err := d.Mover.Alter(ctx, orders)
	if err != nil {
		return fmt.Errorf("reorder the replicas of %d partitions: %w", len(orders), err)
	}
	for _, e := range refused {
		d.report(Event{Kind: Refused, Partitions: []plan.TopicPartition{e.TopicPartition}, Text: fmt.Sprintf("reorder the replicas of %v", e)})
	}
	return nil
}

func (d *Driver) elect(ctx context.Context, r *run, shifts []shift) error {
	var of []plan.TopicPartition
	for _, s := range shifts {
		if s.leader != plan.NoLeader {
			s.atStart = intersect(s.state.ISR, s.After)
			s.asked = true
			of = append(of, s.TopicPartition)
		}
	}
	if len(of) == 0 {
		return nil
	}
	if r.internal {
		r.shifted = of
	}
	failed, err := d.Mover.Elect(ctx, of)
	if err != nil {
		return fmt.Errorf("elect leaders of %d partitions: %w", len(of), err)
	}
	for _, e := range failed {
		d.report(Event{Kind: Refused, Partitions: []plan.TopicPartition{e.TopicPartition}, Text: fmt.Sprintf("elect the leader of %v", e)})
	}
	return nil
}

// loading says that the coordinators of internal topics whose leader changed
// last do not answer yet: the next change waits for them.
func (d *Driver) loading(ctx context.Context, r *run) (bool, error) {
	if d.Coordinators == nil || len(r.shifted) == 0 {
		return false, nil
	}
	waiting, err := d.Coordinators.Loading(ctx, r.shifted)
	if err != nil {
		return false, fmt.Errorf("ask the coordinators: %w", err)
	}
	return len(waiting) > 0, nil
}
