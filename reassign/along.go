package reassign

import (
	"context"
	"fmt"
	"slices"
)

// A list that holds a cordoned broker is refused, also one that moves no data
// (from 4.3.2 on, KAFKA-20832). The order that takes leadership away before a
// move still holds the broker that leaves, the target of the move does not: so
// leadership then goes along with the move. The target is requested with the
// next leader first, which is elected at once, before a byte is copied.

// seeCordons looks once which of the brokers that leave are cordoned. Without
// an answer the first refusal tells.
func (d *Driver) seeCordons(ctx context.Context, r *run) {
	if r.waitOnly || r.cordonsSeen {
		return
	}
	var leaving []int32
	for _, t := range r.tracks {
		leaving = union(leaving, t.From)
	}
	leaving = intersect(leaving, r.view.live)
	of := make([]Resource, len(leaving))
	for i, b := range leaving {
		of[i] = OfBroker(b)
	}
	have, err := d.settings.read(ctx, of)
	if err != nil {
		return
	}
	r.cordonsSeen = true
	for _, b := range leaving {
		if have[OfBroker(b)].cordoned() {
			r.bar(b)
		}
	}
}

func (c ResourceConfig) cordoned() bool {
	return slices.ContainsFunc(c.Entries, func(e Entry) bool { return e.Key == CordonedDirs && e.Value != "" })
}

// bar notes that no list may hold the broker.
func (r *run) bar(broker int32) {
	r.barred = union(r.barred, []int32{broker})
	for _, t := range r.tracks {
		t.along = t.along || slices.Contains(t.Before, broker)
	}
}

// hands says that the move, once requested, changes the leader too.
func (t *track) hands() bool { return t.stage == waiting && t.along && t.leads(t.LeadsDuring) }

// source is the broker that will feed the copies.
func (t *track) source() int32 {
	if t.hands() {
		return t.LeadsDuring
	}
	return t.state.Leader
}

// refuseOrders says once why an order was refused, and returns the shifts whose
// order stands. Where the refusal is the cordon, leadership goes along.
func (d *Driver) refuseOrders(r *run, shifts []shift, refused []PartitionError) []shift {
	for _, e := range refused {
		t := r.by[e.TopicPartition]
		switch {
		case e.Code == codeUnknownTopic:
			r.queue(t)
			continue
		case e.Code != codeInvalidAssignment || t.stage != waiting:
			d.hear(t, "reorder the replicas of", e)
			continue
		}
		for _, b := range without(t.From, r.barred) {
			r.bar(b)
			d.report(Event{Kind: Retried, Broker: b, Text: fmt.Sprintf("no list may hold broker %d any more (%v): leadership leaves it with the moves", b, e)})
		}
	}
	return slices.DeleteFunc(slices.Clone(shifts), func(s shift) bool {
		return slices.ContainsFunc(refused, func(e PartitionError) bool { return e.TopicPartition == s.TopicPartition })
	})
}

// hear reports what Kafka refused, unless it said the same before.
func (d *Driver) hear(t *track, what string, e PartitionError) {
	words := fmt.Sprintf("%s %v", what, e)
	if words == t.heard {
		return
	}
	t.heard = words
	d.report(Event{Kind: Refused, Partitions: names([]*track{t}), Text: words})
}
