package reassign

import (
	"fmt"
	"maps"
	"slices"

	"drain/plan"
)

// news is what the last look changed, to be told once.
type news struct {
	adopted, void, foreign, taken []plan.TopicPartition
	whys                          []string
}

// note compares a track with what it was before the look.
func (n *news) note(t *track, before stage, wasForeign bool) {
	switch {
	case before == unseen && t.stage == moving:
		n.adopted = append(n.adopted, t.TopicPartition)
	case before != void && t.stage == void:
		n.void = append(n.void, t.TopicPartition)
	case before != failed && t.stage == failed:
		n.taken = append(n.taken, t.TopicPartition)
		n.whys = append(n.whys, t.err.Error())
	case t.foreign && !wasForeign:
		n.foreign = append(n.foreign, t.TopicPartition)
	}
}

// tell reports what a look showed, and how far the run is.
func (d *Driver) tell(r *run) {
	n := r.news
	r.news = news{}
	say := func(kind EventKind, of []plan.TopicPartition, words string) {
		if len(of) > 0 {
			d.report(Event{Kind: kind, Partitions: of, Text: listed(of, "is", "are") + " " + words})
		}
	}
	say(Adopted, n.adopted, "in flight already, and adopted")
	say(Void, n.void, "void: deleted, or made anew under the same name")
	say(Foreign, n.foreign, "reassigned by somebody else, and left alone")
	for i, tp := range n.taken {
		d.report(Event{Kind: Refused, Partitions: []plan.TopicPartition{tp}, Text: n.whys[i]})
	}
	d.tellQueued(r)
	d.tellStuck(r)
	d.tellRates(r)
	p := r.progress()
	d.report(Event{Kind: Progressed, Progress: &p})
}

// tellStuck names each move once that has made no progress for a while.
func (d *Driver) tellStuck(r *run) {
	for _, t := range r.moving() {
		switch {
		case t.quiet < r.soon():
			t.told = false
		case !t.told:
			t.told = true
			d.report(Event{Kind: Stuck, Partitions: names([]*track{t}),
				Text: fmt.Sprintf("%v has made no progress for %v: %s", t.TopicPartition, t.quiet.Round(1e9), r.cause(t))})
		}
	}
	for _, t := range r.in(func(t *track) bool { return t.cramped != "" }) {
		if !t.told && t.fullFor >= r.soon() {
			t.told = true
			d.report(Event{Kind: Stuck, Partitions: names([]*track{t}), Text: fmt.Sprintf("%v waits for disk space: %s", t.TopicPartition, t.cramped)})
		}
	}
}

// tellRates reports, once for each lane, a throttle under what is written, and
// a rate that is ten times off its throttle.
func (d *Driver) tellRates(r *run) {
	written, work := map[Lane]int64{}, map[Lane]int64{}
	var least int64
	for _, t := range r.moving() {
		least = max(least, r.least(t))
		Load{Source: t.state.Leader, Dests: t.To, Left: t.left}.lanes(func(at Lane, bytes int64) {
			work[at] += bytes
			written[at] += t.grows
		})
	}
	for _, at := range slices.SortedFunc(maps.Keys(work), compareLanes) {
		limit := r.limit(at)
		rate, known := r.meter.rate(at)
		switch {
		case limit == 0 || !known || r.told[at]:
		case written[at] >= limit:
			r.told[at] = true
			d.report(Event{Kind: TooSlow, Broker: at.Broker, BytesPerSec: written[at],
				Text: fmt.Sprintf("broker %d: %s is written to what it %s, its throttle is %s; one move at a time needs at least %s", at.Broker, rateText(written[at]), at.verb(), rateText(limit), rateText(least))})
		case rate > 10*limit || rate < limit/10 && r.starved(at, work[at], limit):
			r.told[at] = true
			d.report(Event{Kind: Unheld, Broker: at.Broker, BytesPerSec: rate,
				Text: fmt.Sprintf("broker %d %s %s, its throttle is %s", at.Broker, at.verb(), rateText(rate), rateText(limit))})
		}
	}
}

// starved says that a lane has enough to do for its rate to mean something.
func (r *run) starved(at Lane, work, limit int64) bool {
	if float64(work) < span.Seconds()*float64(limit) {
		return false
	}
	return !slices.ContainsFunc(r.moving(), func(t *track) bool {
		return t.quiet == 0 && (at == Lane{t.state.Leader, true} || !at.Sends && slices.Contains(t.To, at.Broker)) && r.elsewhere(at, t)
	})
}

// elsewhere says that a move is held back by a lane other than at.
func (r *run) elsewhere(at Lane, t *track) bool {
	held := false
	Load{Source: t.state.Leader, Dests: t.To}.lanes(func(other Lane, _ int64) {
		rate, _ := r.meter.rate(other)
		held = held || other != at && rate > r.rates(other)/2
	})
	return held
}

// rateText is bytes a second for people.
func rateText(bytesPerSec int64) string { return plan.FormatBytes(bytesPerSec) + "/s" }

// throttleText is a throttle for people; 0 is none.
func throttleText(bytesPerSec int64) string {
	if bytesPerSec == 0 {
		return "none"
	}
	return rateText(bytesPerSec)
}

func compareLanes(a, b Lane) int {
	if a.Broker != b.Broker {
		return int(a.Broker) - int(b.Broker)
	}
	if a.Sends == b.Sends {
		return 0
	}
	if a.Sends {
		return -1
	}
	return 1
}

func (l Lane) verb() string {
	if l.Sends {
		return "sends"
	}
	return "receives"
}
