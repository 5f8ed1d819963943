package reassign

import (
	"context"
	"fmt"
	"slices"
	"time"

	"drain/plan"
)

// look reads what the run needs to know. The list of reassignments comes before
// the metadata: read the other way round, an older list of replicas beside a
// newer "nothing in flight" looks like a larger replication factor.
func (d *Driver) look(ctx context.Context, r *run) (view, error) {
	v := view{}
	if err := d.lookAt(ctx, &v, r.asks()); err != nil {
		return v, err
	}
	var err error
	if v.live, err = d.Health.LiveBrokers(ctx); err != nil {
		return v, fmt.Errorf("list brokers: %w", err)
	}
	if v.loading, err = d.loading(ctx, r); err != nil {
		return v, err
	}
	v.sizes = d.sizes(ctx, r, v)
	v.at = time.Now()
	return v, nil
}

// lookAt reads the list of reassignments, and the state of the tracks.
func (d *Driver) lookAt(ctx context.Context, v *view, of []*track) error {
	listed, err := d.Mover.InFlight(ctx)
	if err != nil {
		return fmt.Errorf("list reassignments: %w", err)
	}
	v.listed = map[plan.TopicPartition]InFlight{}
	for _, f := range listed {
		v.listed[f.TopicPartition] = f
	}
	v.states = map[plan.TopicPartition]PartitionState{}
	if len(of) == 0 {
		return nil
	}
	states, err := d.Mover.Partitions(ctx, names(of))
	if err != nil {
		return fmt.Errorf("read partitions: %w", err)
	}
	for _, s := range states {
		v.states[s.TopicPartition] = s
	}
	return nil
}

// loading lists the internal partitions whose leader changed last and whose
// coordinator does not answer yet: the next change waits for them.
func (d *Driver) loading(ctx context.Context, r *run) ([]plan.TopicPartition, error) {
	if d.Coordinators == nil || len(r.shifted) == 0 {
		return nil, nil
	}
	loading, err := d.Coordinators.Loading(ctx, r.shifted)
	if err != nil {
		return nil, fmt.Errorf("ask the coordinators: %w", err)
	}
	return loading, nil
}

// sizes reads the logs of the moves in flight, on both sides. Without an answer
// there is no progress to show, and nothing else is lost.
func (d *Driver) sizes(ctx context.Context, r *run, v view) map[Replica]int64 {
	var brokers []int32
	var of []plan.TopicPartition
	for _, t := range r.moving() {
		of = append(of, t.TopicPartition)
		leader := t.state.Leader
		if s, ok := v.states[t.TopicPartition]; ok {
			leader = s.Leader
		}
		for _, b := range append([]int32{leader}, t.To...) {
			if !slices.Contains(brokers, b) && slices.Contains(v.live, b) {
				brokers = append(brokers, b)
			}
		}
	}
	if len(of) == 0 || len(brokers) == 0 {
		return nil
	}
	slices.Sort(brokers)
	sizes, err := d.Disks.Sizes(ctx, brokers, of)
	if err != nil {
		d.report(Event{Kind: Retried, Broker: -1, Text: fmt.Sprintf("read log sizes: %v", err)})
	}
	return sizes
}
