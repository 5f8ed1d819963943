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
	if err := d.unwind(ctx, r, homeless); err != nil {
		return err
	}
	moves := make([]plan.Move, len(homeless))
	for i, t := range homeless {
		moves[i], t.nowhere = t.Move, true
	}
	p, err := d.opts.Replan(ctx, moves)
	if err != nil {
		d.report(Event{Kind: Stuck, Partitions: names(homeless), Text: fmt.Sprintf("no other destination was found for what lacks disk space: %v", err)})
		return nil
	}
	var found []plan.Move
	for _, m := range p.Moves {
		if t := r.by[m.TopicPartition]; t != nil && slices.Contains(homeless, t) && !sameSet(m.To, t.To) {
			found = append(found, m)
			*t = *r.track(m)
			t.nowhere = true
		}
	}
	if len(found) == 0 {
		return nil
	}
	d.owns(found)
	of := make([]plan.TopicPartition, len(found))
	for i, m := range found {
		of[i] = m.TopicPartition
	}
	d.report(Event{Kind: Replanned, Partitions: of, Text: fmt.Sprintf("%s replanned, since their destination is full", listed(of, "is", "are"))})
	return nil
}
