package reassign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"drain/plan"
)

// act does what was decided: settings first, then the moves that they cover,
// then what is no longer needed goes, then leaders change.
func (d *Driver) act(ctx context.Context, r *run, t turn) error {
	lacking, err := d.settings.make(ctx, t.wish, r.view.isLive)
	if err != nil {
		return err
	}
	if err := d.start(ctx, r, t, lacking); err != nil {
		return err
	}
	if err := d.settings.giveBack(ctx, t.wish, r.view.isLive, passes); err != nil {
		if _, unpaid := errors.AsType[*UnpaidError](err); !unpaid {
			return err // what is unpaid is tried again at the next look
		}
	}
	if err := d.complete(t.done); err != nil {
		return err
	}
	internal, bulk := byKind(t.shifts)
	if err := d.shift(ctx, r, internal); err != nil {
		return err
	}
	return d.shift(ctx, r, bulk)
}

// start requests the moves whose settings stand.
func (d *Driver) start(ctx context.Context, r *run, t turn, lacking made) error {
	covers := t.wish.covers[len(t.wish.covers)-len(t.start):]
	var ready []*track
	for i, m := range t.start {
		was := m.lacks
		if m.lacks = lacking.lacks(covers[i]); m.lacks == nil {
			ready = append(ready, m)
			continue
		}
		if !m.later() && (was == nil || was.Error() != m.lacks.Error()) {
			d.report(Event{Kind: Retried, Broker: -1, Partitions: names([]*track{m}), Text: fmt.Sprintf("%v waits: %v", m.TopicPartition, m.lacks)})
		}
	}
	ready, err := d.still(ctx, r, ready)
	if err != nil {
		return err
	}
	internal, bulk := byKind(ready)
	for _, kind := range [][]*track{bulk, internal} {
		for part := range slices.Chunk(kind, d.opts.chunk()) {
			if err := d.submit(ctx, r, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// still looks once more, and returns the tracks whose partitions are as planned
// and nobody else's.
func (d *Driver) still(ctx context.Context, r *run, tracks []*track) ([]*track, error) {
	if len(tracks) == 0 {
		return nil, nil
	}
	if err := d.lookAt(ctx, &r.view, tracks); err != nil {
		return nil, err
	}
	for _, t := range tracks {
		r.takeTrack(t, 0)
	}
	return slices.DeleteFunc(tracks, func(t *track) bool { return !r.ready(t) }), nil
}

// submit requests the moves, and elects the leaders that go along.
func (d *Driver) submit(ctx context.Context, r *run, tracks []*track) error {
	d.place(ctx, tracks)
	if err := d.announce(ctx, tracks); err != nil {
		return err
	}
	targets := make([]Target, len(tracks))
	var hand []shift
	for i, t := range tracks {
		targets[i] = Target{t.TopicPartition, t.During()}
		if t.hands() {
			hand = append(hand, shift{t, nil, t.LeadsDuring})
		}
		t.request()
		t.unsure = true // until Kafka has answered
	}
	refused, err := d.Mover.Alter(ctx, targets)
	if err != nil {
		return fmt.Errorf("start %s: %w", plan.Count(len(tracks), "move", "moves"), err)
	}
	for _, t := range tracks {
		t.unsure = false
	}
	d.refuse(r, refused)
	d.tellStarted(tracks, refused)
	return d.handOver(ctx, r, hand)
}

// tellStarted reports the moves that Kafka has taken.
func (d *Driver) tellStarted(tracks []*track, refused []PartitionError) {
	if started := accepted(tracks, refused); len(started) > 0 {
		d.report(Event{Kind: Submitted, Partitions: started, Text: "started " + plan.Count(len(started), "move", "moves")})
	}
}

// accepted are the partitions that Kafka has not refused.
func accepted(tracks []*track, refused []PartitionError) []plan.TopicPartition {
	return slices.DeleteFunc(names(tracks), func(tp plan.TopicPartition) bool {
		return slices.ContainsFunc(refused, func(e PartitionError) bool { return e.TopicPartition == tp })
	})
}

// handOver elects the first of the lists that were just requested, if Kafka
// took them.
func (d *Driver) handOver(ctx context.Context, r *run, hand []shift) error {
	hand = slices.DeleteFunc(hand, func(s shift) bool { return s.stage != moving })
	r.changed = r.changed || len(hand) > 0
	return d.elect(ctx, r, hand)
}

// announce writes down which partitions a request is about to name. It is the
// last moment at which an end of ctx still prevents it.
func (d *Driver) announce(ctx context.Context, tracks []*track) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := d.ledger.Submit(names(tracks)); err != nil {
		return fatal{err}
	}
	return nil
}

// place names the log dirs of replicas that are to come. Kafka would take the
// dir with the fewest logs, whatever its space.
func (d *Driver) place(ctx context.Context, tracks []*track) {
	var at []Placement
	for _, t := range tracks {
		for i, dir := range t.Dirs {
			if dir != "" {
				at = append(at, Placement{Replica{t.TopicPartition, t.To[i]}, dir})
			}
		}
	}
	if len(at) == 0 {
		return
	}
	refused, err := d.Disks.Place(ctx, at)
	if err != nil {
		d.report(Event{Kind: Refused, Text: fmt.Sprintf("name log dirs: %v; Kafka chooses them", err)})
	}
	for _, e := range refused {
		d.report(Event{Kind: Refused, Partitions: []plan.TopicPartition{e.TopicPartition}, Text: fmt.Sprintf("name the log dir of %v; Kafka chooses it", e)})
	}
}

// request marks a move as requested.
func (t *track) request() {
	t.begin()
	t.quiet, t.tries, t.best, t.since = 0, 0, -1, time.Time{}
	for _, to := range t.To {
		t.copied[to] = 0
	}
}

// refuse takes moves back that Kafka did not accept. Those whose refusal may
// pass wait again; the others are given up.
func (d *Driver) refuse(r *run, refused []PartitionError) {
	for _, e := range refused {
		t := r.by[e.TopicPartition]
		t.stage = waiting
		if e.Code == codeUnknownTopic {
			r.queue(t)
			continue
		}
		if t.refusals++; passing(e.Code) && t.refusals < mostTries {
			t.odd = 0
			continue
		}
		t.fail(e)
		d.report(Event{Kind: Refused, Partitions: []plan.TopicPartition{e.TopicPartition}, Text: t.err.Error()})
	}
}

// complete writes down and says what is done.
func (d *Driver) complete(done []*track) error {
	if len(done) == 0 {
		return nil
	}
	if err := d.ledger.Moved(names(done)); err != nil {
		return fatal{err}
	}
	d.report(Event{Kind: Completed, Partitions: names(done), Text: fmt.Sprintf("%s moved", listed(names(done), "is", "are"))})
	return nil
}
