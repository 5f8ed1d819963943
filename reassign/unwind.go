package reassign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"drain/plan"
)

// unwindFor is for how long an order is asked for, and waited for: a controller
// hears of a lifted cordon with the broker's next heartbeat, and refuses lists that
// hold it until then; and Metadata shows late what a cancel has left.
const unwindFor = 10 * time.Second

// unwind puts lists in the order they had, and those of complete moves in the
// one planned, until Metadata shows it. Orders that Kafka goes on refusing are
// returned.
func (d *Driver) unwind(ctx context.Context, r *run, tracks []*track) (refused []PartitionError, err error) {
	var began time.Time // with the first answer
	wait := r.opts.Poll / 8
	longer := func(time.Duration) time.Duration { wait = min(2*wait, r.opts.Poll); return wait }
	err = d.patiently(ctx, longer, func() (over bool, err error) {
		if err := d.lookAt(ctx, &r.view, tracks); err != nil {
			return false, err
		}
		if began.IsZero() {
			began = time.Now()
		}
		shifts, late := r.disorder(tracks)
		refused, err = d.reorderAll(ctx, r, shifts)
		return !late && len(shifts) == 0 || time.Since(began) >= unwindFor, err
	})
	return refused, err
}

// unwindAll unwinds every move. An order that is refused to the end is an error.
func (d *Driver) unwindAll(ctx context.Context, r *run) error {
	refused, err := d.unwind(ctx, r, r.tracks)
	if err != nil {
		return err
	}
	errs := make([]error, len(refused))
	for i, e := range refused {
		errs[i] = fmt.Errorf("the replicas are not in the order they had: %w", e)
		if e.Code == codeInvalidAssignment {
			errs[i] = fmt.Errorf("%w; once every broker of the list is there and not cordoned, cancel again", errs[i])
		}
	}
	return errors.Join(errs...)
}

// loosen unwinds moves that go elsewhere. They do not wait for an order that
// Kafka refuses: the list before the drain holds a broker that may be cordoned. It
// is in the ledger, and set by whoever ends the run.
func (d *Driver) loosen(ctx context.Context, r *run, tracks []*track) error {
	free := slices.DeleteFunc(slices.Clone(tracks), func(t *track) bool { return t.along })
	refused, err := d.unwind(ctx, r, free)
	for _, e := range refused {
		d.hear(r.by[e.TopicPartition], "reorder the replicas of", e)
	}
	return err
}

// disorder are the lists that hold the right brokers in another order than they
// had, or for a complete move than was planned; late says that some show neither
// set, though nothing is in flight any more.
func (r *run) disorder(tracks []*track) (shifts []shift, late bool) {
	for _, t := range tracks {
		s, ok := r.view.states[t.TopicPartition]
		if _, listed := r.view.listed[t.TopicPartition]; !ok || listed || t.queued() || s.Gone || s.TopicID != t.TopicID && t.TopicID != [16]byte{} {
			continue
		}
		order := t.After
		if sameSet(s.Replicas, t.Before) {
			order = t.Before
		}
		switch {
		case !sameSet(s.Replicas, order):
			late = true
		case !slices.Equal(s.Replicas, order):
			shifts = append(shifts, shift{t, order, plan.NoLeader})
		}
	}
	return shifts, late
}

func (d *Driver) reorderAll(ctx context.Context, r *run, shifts []shift) (refused []PartitionError, err error) {
	for part := range slices.Chunk(shifts, d.opts.chunk()) {
		some, err := d.reorder(ctx, part)
		if err != nil {
			return nil, err
		}
		refused = append(refused, r.queueAll(some)...)
	}
	return refused, nil
}
