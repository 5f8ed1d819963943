package reassign

import (
	"context"
	"fmt"
	"slices"
	"time"

	"drain/plan"
)

// fullFor is how long a destination must be without room before another one is
// looked for.
const fullFor = 30 * time.Second

// homeless lists the moves whose destination has had no room for long. Those of
// a later wave have no other: that is why others make room for them.
func (r *run) homeless() []*track {
	return r.in(func(t *track) bool {
		return t.stage == waiting && t.Wave == 0 && !t.nowhere && !t.foreign && t.fullFor >= fullFor
	})
}

// rehome looks for other destinations, once for each move. Where there is none
// they wait on: room may come back, and if it does not they are a stall.
func (d *Driver) rehome(ctx context.Context, r *run, homeless []*track) error {
	if err := d.loosen(ctx, r, homeless); err != nil {
		return err
	}
	p, err := d.opts.Replan(ctx, planned(homeless))
	if err != nil {
		d.report(Event{Kind: Stuck, Partitions: names(homeless), Text: fmt.Sprintf("no other destination was found for what lacks disk space: %v", err)})
	} else {
		d.takeUp(r, slices.DeleteFunc(slices.Clone(p.Moves), func(m plan.Move) bool {
			t := r.by[m.TopicPartition]
			return !slices.Contains(homeless, t) || sameSet(m.To, t.To)
		}), "is full")
	}
	for _, t := range homeless {
		t.nowhere = true
	}
	return nil
}
