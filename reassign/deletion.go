package reassign

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drain/plan"
)

// A controller answers UNKNOWN_TOPIC_OR_PARTITION for a topic that is deleted, or
// in a ZooKeeper cluster queued for it (a broker is down, a partition is being
// reassigned), to moves and to their cancels
// (KafkaController.maybeTriggerPartitionReassignment), whatever the Metadata of a
// broker still shows. On 3.9.2 and 2.4.1 such topics were gone from Metadata
// within a second; but each broker has its own copy, and how long one shows a
// topic is not ours to say. So that answer is no failure of a move: its partition
// is gone once Metadata agrees, or a person takes the deletion back and it moves
// after all.

const (
	// askAgain is after how long such a partition is asked for again.
	askAgain = time.Minute
	// lingers is how long it is waited for once all else is done.
	lingers = time.Minute
)

// deletion is what is known of the deletion of a partition's topic.
type deletion struct {
	since time.Time // when the controller first said so; zero: it has not
	last  time.Time // and when last
	told  bool
}

// queued says that the controller does not take requests for the partition.
func (t *track) queued() bool { return !t.deletion.since.IsZero() }

// queue notes that the controller does not know the partition any more, although
// Metadata shows it, and what waits of the same topic neither.
func (r *run) queue(t *track) {
	for _, o := range r.tracks {
		if o != t && (o.Topic != t.Topic || o.stage != waiting) {
			continue
		}
		if !o.queued() {
			o.deletion.since = r.view.at
		}
		o.deletion.last = r.view.at
	}
}

// queueAll takes out the refusals that say that a topic is queued for deletion.
func (r *run) queueAll(refused []PartitionError) []PartitionError {
	return slices.DeleteFunc(refused, func(e PartitionError) bool {
		if e.Code == codeUnknownTopic {
			r.queue(r.by[e.TopicPartition])
		}
		return e.Code == codeUnknownTopic
	})
}

// unqueue lets a partition be asked for again after a while.
func (r *run) unqueue(t *track) {
	if t.queued() && t.stage == waiting && r.view.at.Sub(t.deletion.last) >= askAgain {
		t.deletion = deletion{told: t.deletion.told}
	}
}

// onlyQueued returns the partitions that wait for the deletion of their topics,
// if they are all that is left to do.
func (r *run) onlyQueued() []*track {
	rest := r.in(func(t *track) bool { return !t.stage.over() })
	if slices.ContainsFunc(rest, func(t *track) bool { return t.stage != waiting || !t.queued() }) {
		return nil
	}
	return rest
}

// tellQueued says once of each partition that its topic is queued, unless the
// topic is about to be gone from Metadata.
func (d *Driver) tellQueued(r *run) {
	news := r.in(func(t *track) bool {
		return t.queued() && !t.deletion.told && !t.stage.over() && t.odd == 0 && r.view.at.Sub(t.deletion.since) >= absent
	})
	if len(news) == 0 {
		return
	}
	for _, t := range news {
		t.deletion.told = true
	}
	d.report(Event{Kind: Queued, Partitions: names(news), Text: fmt.Sprintf("%s queued for deletion and left out of the moves: that waits for %s", listed(names(news), "is", "are"), r.deletionWaits(news))})
}

// deletionWaits says what the deletion of the topics is likely to wait for.
func (r *run) deletionWaits(of []*track) string {
	var waits []string
	add := func(what string) {
		if !slices.Contains(waits, what) {
			waits = append(waits, what)
		}
	}
	for _, t := range of {
		for _, b := range union(t.Before, t.state.Replicas) {
			if !r.view.isLive(b) {
				add(fmt.Sprintf("broker %d, which is down", b))
			}
		}
		for _, f := range r.listed(t.Topic) {
			add("the reassignment of " + f.String())
		}
	}
	if len(waits) == 0 {
		return "a broker that is down, or a reassignment of the topic"
	}
	return strings.Join(waits, ", and ")
}

// listed are the partitions of a topic in flight, whoever moves them.
func (r *run) listed(topic string) []plan.TopicPartition {
	var of []plan.TopicPartition
	for tp := range r.view.listed {
		if tp.Topic == topic {
			of = append(of, tp)
		}
	}
	slices.SortFunc(of, plan.TopicPartition.Compare)
	return of
}

// DeletionError says that topics are queued for deletion and do not go.
type DeletionError struct {
	Partitions []plan.TopicPartition // sorted
	Waits      string                // what their deletion is likely to wait for
}

// Error names the partitions, what their deletion waits for and the remedy.
func (e *DeletionError) Error() string {
	return fmt.Sprintf("%s queued for deletion, which waits for %s: end that, or take the deletion back, and run again", listed(e.Partitions, "is", "are"), e.Waits)
}

func (r *run) deletionError(of []*track) error {
	return &DeletionError{Partitions: names(of), Waits: r.deletionWaits(of)}
}
