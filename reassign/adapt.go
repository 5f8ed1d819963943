package reassign

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// adaptive is the throttles that find their own level, one for each lane.
type adaptive struct {
	paces map[Lane]pace
	whys  map[Lane]string         // the reason of the last change
	usual map[int32]time.Duration // what a small request took before copying began
	last  time.Time               // when a period ended
}

// rate is the throttle of a lane, whose maximum is most.
func (a *adaptive) rate(at Lane, most int64) int64 {
	if a == nil || most == 0 {
		return most
	}
	p, ok := a.paces[at]
	if !ok {
		p = firstPace(most)
	}
	return min(p.rate, most)
}

// why is the reason of the last change of a lane.
func (a *adaptive) why(at Lane) string {
	if a == nil {
		return ""
	}
	return a.whys[at]
}

// adapt ends a period, if it is over, with a decision for each lane in use.
func (d *Driver) adapt(ctx context.Context, r *run) {
	a := d.adaptive
	if a == nil || r.rate == 0 {
		return
	}
	if a.last.IsZero() {
		a.last = r.view.at
		d.probeAll(ctx, r)
	}
	if r.view.at.Sub(a.last) < period {
		return
	}
	a.last = r.view.at
	lanes := r.signals()
	times := d.compare(ctx, lanes)
	for _, at := range slices.SortedFunc(maps.Keys(lanes), compareLanes) {
		s := lanes[at]
		s.shrunk = d.breaker.hurt[at.Broker]
		s.slowness, s.mute = times[at.Broker].slowness, times[at.Broker].mute
		p, ok := a.paces[at]
		if !ok {
			p = firstPace(r.rate)
		}
		next, why := p.next(s, r.rate)
		a.paces[at] = next
		if why != "" {
			a.whys[at] = why
			d.report(Event{Kind: RateIs, Broker: at.Broker, BytesPerSec: next.rate, Text: fmt.Sprintf("broker %d %s at most %s now, instead of %s: %s", at.Broker, at.verb(), rateText(next.rate), rateText(p.rate), why)})
		}
	}
	d.breaker.hurt = nil
}

// signals are what the looks showed of each lane in use.
func (r *run) signals() map[Lane]signals {
	lanes := map[Lane]signals{}
	for _, t := range r.moving() {
		t.lanes(func(at Lane) {
			s := lanes[at]
			written := t.grows
			if at.Sends {
				written *= int64(len(t.Before)) // in-sync followers are counted too
			}
			s.floor += written * 6 / 5
			lanes[at] = s
		})
	}
	work := r.work()
	for at, s := range lanes {
		s.achieved, _ = r.meter.rate(at)
		s.busy = float64(work[at]) > period.Seconds()*float64(r.rates(at))
		s.floor = max(s.floor, fetch/quotaWindow)
		lanes[at] = s
	}
	return lanes
}

// work is the bytes that each lane could copy at once: those of the moves in
// flight, and of those that wait, which take the place of what ends. What the
// throttle of another lane holds back is none: a lane that is lowered for that
// would in turn hold back the other one, and so on down.
func (r *run) work() map[Lane]int64 {
	work := map[Lane]int64{}
	for _, t := range r.in(func(t *track) bool { return t.stage == moving || t.stage == waiting && len(r.paused) == 0 }) {
		load := Load{Source: t.source(), Dests: t.To, Left: max(0, t.left)}
		var full []Lane
		load.lanes(func(at Lane, _ int64) {
			if r.full(at) {
				full = append(full, at)
			}
		})
		load.lanes(func(at Lane, bytes int64) {
			if len(without(full, []Lane{at})) == 0 {
				work[at] += bytes
			}
		})
	}
	return work
}

// full says that a lane uses most of its throttle.
func (r *run) full(at Lane) bool {
	rate, known := r.meter.rate(at)
	return known && float64(rate) >= used*float64(r.rates(at))
}

// answer is how a broker answered a small request.
type answer struct {
	slowness float64
	mute     bool
}

// probeAll times a small request to every broker of the run, before anything is
// copied: later ones are compared with that.
func (d *Driver) probeAll(ctx context.Context, r *run) {
	if d.Probe == nil {
		return
	}
	for _, t := range r.tracks {
		for _, b := range union(t.Before, t.To) {
			if _, known := d.adaptive.usual[b]; known {
				continue
			}
			if took, err := d.probe(ctx, b); err == nil {
				d.adaptive.usual[b] = took
			}
		}
	}
}

func (d *Driver) probe(ctx context.Context, broker int32) (time.Duration, error) {
	began := time.Now()
	_, err := d.Probe.BrokersSeenBy(ctx, broker)
	return max(time.Since(began), time.Millisecond), err
}

// compare times a small request to each broker in use.
func (d *Driver) compare(ctx context.Context, lanes map[Lane]signals) map[int32]answer {
	answers := map[int32]answer{}
	for _, at := range slices.SortedFunc(maps.Keys(lanes), compareLanes) {
		usual, known := d.adaptive.usual[at.Broker]
		if _, asked := answers[at.Broker]; asked || !known {
			continue
		}
		took, err := d.probe(ctx, at.Broker)
		answers[at.Broker] = answer{float64(took) / float64(usual), err != nil}
	}
	return answers
}
