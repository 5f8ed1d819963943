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
	shifts, err := d.recheck(ctx, r, tracks)
	if err != nil || len(shifts) == 0 {
		return err
	}
	r.changed = true
	refused, err := d.reorder(ctx, shifts)
	if err != nil {
		return err
	}
	if err := d.elect(ctx, r, d.refuseOrders(r, shifts, refused)); err != nil {
		return err
	}
	for _, s := range shifts {
		s.tries++ // only what Kafka has answered counts
	}
	return nil
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
			shifts = append(shifts, s)
		}
	}
	return shifts, nil
}

// reorder puts replica lists in order, without data, and returns those that
// were refused.
func (d *Driver) reorder(ctx context.Context, shifts []shift) ([]PartitionError, error) {
	var orders []Target
	var of []*track
	for _, s := range shifts {
		if s.order != nil {
			orders = append(orders, Target{s.TopicPartition, s.order})
			of = append(of, s.track)
		}
	}
	if len(orders) == 0 {
		return nil, nil
	}
	if err := d.announce(ctx, of); err != nil {
		return nil, err
	}
	refused, err := d.Mover.Alter(ctx, orders)
	if err != nil {
		return nil, fmt.Errorf("reorder the replicas of %s: %w", plan.Count(len(orders), "partition", "partitions"), err)
	}
	return refused, nil
}

// elect has the leaders elected that the shifts name, in one request.
func (d *Driver) elect(ctx context.Context, r *run, shifts []shift) error {
	var of []plan.TopicPartition
	for _, s := range shifts {
		if s.leader == plan.NoLeader {
			continue
		}
		s.atStart = intersect(s.state.ISR, s.After)
		s.asked = true
		of = append(of, s.TopicPartition)
		if s.internal {
			r.shifted = union(r.shifted, []plan.TopicPartition{s.TopicPartition})
		}
	}
	if len(of) == 0 {
		return nil
	}
	failed, err := d.Mover.Elect(ctx, of)
	if err != nil {
		return fmt.Errorf("elect leaders of %s: %w", plan.Count(len(of), "partition", "partitions"), err)
	}
	for _, e := range failed {
		d.hear(r.by[e.TopicPartition], "elect the leader of", e)
	}
	return nil
}
