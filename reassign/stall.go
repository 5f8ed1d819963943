package reassign

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drain/plan"
)

// downFor is how long a destination must be down, or its log dir offline, before
// its moves are taken elsewhere; a broker that restarts is back by then, or soon
// worth waiting for.
const downFor = 30 * time.Second

// stalled returns why the run cannot go on: every move in flight has been
// without progress for long, or nothing is in flight and nothing could start.
func (r *run) stalled() error {
	stuck := r.flights(func(t *track) bool { return t.stage == moving })
	for _, f := range stuck {
		if f.Quiet < r.opts.StallAfter {
			return nil
		}
	}
	if len(stuck) > 0 {
		return &StallError{After: r.opts.StallAfter, Stuck: stuck}
	}
	if r.over() {
		return nil
	}
	if queued := r.onlyQueued(); len(queued) > 0 && r.quiet >= min(lingers, r.opts.StallAfter) {
		return r.deletionError(queued)
	}
	if foreign := r.onlyForeign(); foreign != nil && r.quiet >= r.opts.WaitForForeign {
		return &ForeignError{Partitions: foreign}
	}
	limit := r.opts.StallAfter
	if r.awaitsErasure() {
		limit = max(limit, erasure)
	}
	if r.quiet < limit {
		return nil
	}
	return &StallError{After: limit, Cause: r.waitsFor()}
}

// onlyForeign returns the partitions that somebody else reassigns, if they are
// all that is left to do.
func (r *run) onlyForeign() []plan.TopicPartition {
	rest := r.in(func(t *track) bool { return !t.stage.over() })
	if slices.ContainsFunc(rest, func(t *track) bool { return !t.foreign }) {
		return nil
	}
	return names(rest)
}

// flights describes tracks for people and errors.
func (r *run) flights(is func(*track) bool) []Flight {
	var flights []Flight
	for _, t := range r.in(is) {
		f := Flight{TopicPartition: t.TopicPartition, Left: t.rest(), Quiet: t.quiet}
		if t.quiet >= r.soon() {
			f.Why = r.cause(t)
		}
		flights = append(flights, f)
	}
	return flights
}

// soon is how long without progress is worth a word.
func (r *run) soon() time.Duration {
	return min(r.opts.StallAfter, max(r.opts.StallAfter/10, 10*time.Second))
}

// cause is the likely reason why a move in flight makes no progress.
func (r *run) cause(t *track) string {
	for _, b := range t.To {
		switch {
		case !r.view.isLive(b):
			return fmt.Sprintf("its destination, broker %d, is down", b)
		case r.broken(t, b):
			return fmt.Sprintf("its log dir on its destination, broker %d, is offline", b)
		}
	}
	switch {
	case t.state.Leader == plan.NoLeader:
		return "it has no leader to copy from" + r.down(t)
	case t.joined():
		return r.blocked(t)
	case r.view.sizes != nil && !r.answers(t.state.Leader):
		return fmt.Sprintf("its source, broker %d, does not answer", t.state.Leader)
	}
	for _, b := range t.To {
		if _, ok := r.view.sizes[Replica{t.TopicPartition, b}]; !ok && r.view.sizes != nil {
			return fmt.Sprintf("its destination, broker %d, shows no log of it; is its log dir offline?", b)
		}
	}
	return r.slow(t)
}

// down names the replicas that would lead if they were up.
func (r *run) down(t *track) string {
	var words []string
	for _, b := range t.Before {
		if !r.view.isLive(b) {
			words = append(words, fmt.Sprintf("broker %d", b))
		}
	}
	switch len(words) {
	case 0:
		return ""
	case 1:
		return ": " + words[0] + " is down"
	}
	return ": " + strings.Join(words, " and ") + " are down"
}

// blocked names the replicas that stay and are out of sync: before 4.3 they
// hold up completion although the new replica is in sync (KAFKA-15665).
func (r *run) blocked(t *track) string {
	var waits []string
	for _, b := range without(t.After, t.state.ISR) {
		word := fmt.Sprintf("broker %d, which stays and is out of sync", b)
		if !r.view.isLive(b) {
			word = fmt.Sprintf("broker %d, which stays and is down", b)
		}
		waits = append(waits, word)
	}
	if len(waits) == 0 {
		return "every replica is in sync, and Kafka has not completed it"
	}
	return "the new replica is in sync; it waits for " + strings.Join(waits, " and ")
}

// answers says that the sizes of some log on the broker are known.
func (r *run) answers(broker int32) bool {
	for replica := range r.view.sizes {
		if replica.Broker == broker {
			return true
		}
	}
	return false
}

// slow compares the throttle with what is written meanwhile.
func (r *run) slow(t *track) string {
	least, limit, theirs := r.least(t), int64(0), false
	Load{Source: t.state.Leader, Dests: t.To}.lanes(func(at Lane, _ int64) {
		rate := r.limit(at)
		if limit == 0 || rate < limit {
			limit, theirs = rate, false
		}
		theirs = theirs || rate == limit && r.theirs(at)
	})
	switch {
	case limit == 0:
		return "no bytes are copied"
	case least > limit:
		return fmt.Sprintf("a throttle of %s is under what is written to it: at least %s is needed", rateText(limit), rateText(least))
	case theirs:
		return fmt.Sprintf("a throttle of %s that somebody else has set", rateText(limit))
	}
	return "no bytes are copied"
}

// limit is the throttle of a lane as a person knows it: what was asked for, or
// somebody else's lower rate.
func (r *run) limit(at Lane) int64 {
	if r.theirs(at) {
		return r.rates(at)
	}
	return r.asked(at)
}

// theirs says that somebody else's throttle applies on a lane: it is under ours,
// which is not still rising.
func (r *run) theirs(at Lane) bool {
	ours := r.ours(at)
	return r.rates(at) < ours && r.soft(at) == ours
}

// least is the smallest throttle with which the move can end: what is written
// to the partition, for every replica that its leader feeds while it is listed,
// and a fifth more.
func (r *run) least(t *track) int64 {
	return t.grows * int64(len(t.Before)) * 6 / 5
}

// waitsFor says why nothing starts.
func (r *run) waitsFor() string {
	if len(r.paused) > 0 {
		return "waits until it is no longer so that " + strings.Join(r.paused, "; ")
	}
	for _, t := range r.in(func(t *track) bool { return !t.stage.over() }) {
		for _, b := range t.To {
			if !r.view.isLive(b) {
				return fmt.Sprintf("%v waits for broker %d, which is down", t.TopicPartition, b)
			}
		}
		switch {
		case t.queued():
			return r.deletionError([]*track{t}).Error()
		case t.foreign:
			return fmt.Sprintf("%v is reassigned by somebody else", t.TopicPartition)
		case t.state.Leader == plan.NoLeader:
			return fmt.Sprintf("%v has no leader to copy from%s", t.TopicPartition, r.down(t))
		case t.lacks != nil:
			return fmt.Sprintf("%v waits: %v", t.TopicPartition, t.lacks)
		case t.cramped != "":
			return fmt.Sprintf("%v waits for disk space: %s", t.TopicPartition, t.cramped)
		}
	}
	return "nothing could be started"
}
