package reassign

import (
	"context"
	"fmt"
	"slices"

	"drain/plan"
)

// Settle gives back every throttle and min.insync.replicas that covers no move
// of ours in flight. A Driver that was told of no moves takes every one for its
// own. What could not be given back is an [UnpaidError]. It asks once: whatever ended
// before has been as patient as it may.
func (d *Driver) Settle(ctx context.Context) error {
	if len(d.Debts()) == 0 {
		return nil
	}
	_, err := d.settle(ctx)
	return err
}

// settleFirmly settles, again and again while that may help.
func (d *Driver) settleFirmly(ctx context.Context) (inFlight []plan.TopicPartition, err error) {
	// The last error says more than the end of ctx.
	_ = d.patiently(ctx, d.eachPoll, func() (bool, error) {
		if inFlight, err = d.settle(ctx); stays(err) {
			return true, nil
		}
		return err == nil, err
	})
	return inFlight, err
}

func in(live []int32) func(int32) bool {
	return func(b int32) bool { return slices.Contains(live, b) }
}

// settle pays what covers nothing in flight, and returns our moves in flight.
func (d *Driver) settle(ctx context.Context) ([]plan.TopicPartition, error) {
	if len(d.Debts()) == 0 && len(d.own) == 0 {
		return nil, nil
	}
	listed, err := d.Mover.InFlight(ctx)
	if err != nil {
		return nil, fmt.Errorf("list reassignments: %w", err)
	}
	live, err := d.Health.LiveBrokers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list brokers: %w", err)
	}
	w := wish{rate: func(Lane) int64 { return 1 }} // which rate does not matter: only that it is needed
	var own []plan.TopicPartition
	for _, f := range listed {
		if !d.isOwn(f) {
			continue
		}
		own = append(own, f.TopicPartition)
		w.covers = append(w.covers, cover{
			TopicPartition: f.TopicPartition, from: without(f.Replicas, f.Adding), to: f.Adding,
			listed: true, factor: len(f.Replicas) - len(f.Adding),
		})
	}
	return own, d.settings.giveBack(ctx, w, in(live), passes)
}

// passes says that a debt ends with the moves it covers. A cordon does not.
func passes(d Debt) bool { return d.Key != CordonedDirs }

func (d *Driver) isOwn(f InFlight) bool {
	if len(d.own) == 0 {
		return true
	}
	m, ok := d.own[f.TopicPartition]
	return ok && newTrack(m).owns(f)
}
