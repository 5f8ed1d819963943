package reassign

import (
	"slices"
	"time"

	"drain/plan"
)

// run is a plan's moves on the way: the tracks, and what was measured.
type run struct {
	opts     Options
	waitOnly bool // nothing new starts
	tracks   []*track
	by       map[plan.TopicPartition]*track

	rate    int64 // the throttle now; 0: none
	view    view
	asked   func(Lane) int64  // the throttle of each lane
	ours    func(Lane) int64  // the rate that Kafka is given for it
	why     func(Lane) string // the reason of it; nil: a person asked for it
	rates   func(Lane) int64  // what applies there: ours, or somebody else's lower one
	room    func(string) int  // bytes of a topic's throttled-replica lists that our moves may use
	last    time.Time         // of the last look
	gap     time.Duration     // between it and the one before, as far as it counts
	passed  time.Duration     // and in truth
	quiet   time.Duration     // nothing in flight, and nothing could start
	ration  ration
	news    news
	paused  []string      // why nothing new starts
	told    map[Lane]bool // lanes whose rate was reported
	meter   meter
	changed bool                  // orders or leaders were, since the last look: the next comes soon
	shifted []plan.TopicPartition // internal partitions whose leader was changed last

	disks       map[int32]disk // of destinations, as last read
	spaceless   bool           // the last reading of them failed, and that was told
	barred      []int32        // brokers that no list may hold
	cordonsSeen bool
	fed         map[int32]time.Duration // for how long brokers have fed copies, of what quotas remember
	steep       bool                    // the rate was changed by hand, and holds at once
}

func newRun(moves []plan.Move, o Options) *run {
	r := &run{opts: o, by: map[plan.TopicPartition]*track{}, ration: ration{}, disks: map[int32]disk{}, fed: map[int32]time.Duration{}, told: map[Lane]bool{}}
	r.asked = func(Lane) int64 { return r.rate }
	r.ours, r.rates = r.asked, r.asked
	r.room = func(string) int { return longest / 2 }
	for _, m := range moves {
		r.add(m)
	}
	r.sort()
	return r
}

func (r *run) add(m plan.Move) {
	t := r.track(m)
	r.tracks = append(r.tracks, t)
	r.by[m.TopicPartition] = t
}

// track is a new one of this run.
func (r *run) track(m plan.Move) *track {
	t := newTrack(m)
	t.along = len(intersect(m.Before, r.barred)) > 0
	return t
}

func (r *run) sort() {
	slices.SortStableFunc(r.tracks, func(a, b *track) int { return a.Compare(b.TopicPartition) })
}

// in returns the tracks for which is holds, in their order.
func (r *run) in(is func(*track) bool) []*track {
	var some []*track
	for _, t := range r.tracks {
		if is(t) {
			some = append(some, t)
		}
	}
	return some
}

func (r *run) moving() []*track { return r.in(func(t *track) bool { return t.stage == moving }) }

func (r *run) over() bool {
	if r.waitOnly {
		return !slices.ContainsFunc(r.tracks, func(t *track) bool { return t.stage == unseen || t.stage == moving })
	}
	return !slices.ContainsFunc(r.tracks, func(t *track) bool { return !t.stage.over() })
}

// failures are the errors of the moves that were given up, sorted.
func (r *run) failures() []error {
	var errs []error
	for _, t := range r.tracks {
		if t.stage == failed {
			errs = append(errs, t.err)
		}
	}
	return errs
}

func names(tracks []*track) []plan.TopicPartition {
	of := make([]plan.TopicPartition, len(tracks))
	for i, t := range tracks {
		of[i] = t.TopicPartition
	}
	return of
}

// view is what one look at the cluster showed.
type view struct {
	at     time.Time
	listed map[plan.TopicPartition]InFlight
	states map[plan.TopicPartition]PartitionState
	sizes  map[Replica]int64
	live   []int32

	loading []plan.TopicPartition // of the internal ones whose leader was changed last
}

func (v view) isLive(broker int32) bool { return slices.Contains(v.live, broker) }

// asks lists the tracks whose state the next look must show. Those that wait
// are read again just before they start.
func (r *run) asks() []*track {
	return r.in(func(t *track) bool {
		return !t.stage.over() && (t.stage != waiting || t.asked || t.odd > 0 || t.lacks != nil || t.queued() || t.deletion.told)
	})
}

// take takes a look in.
func (r *run) take(v view) {
	gap := v.at.Sub(r.last)
	if r.last.IsZero() {
		gap = 0
	}
	r.feed(gap)
	r.passed = gap
	// A machine that slept shows one long gap. A stall takes several looks.
	gap = min(gap, 2*r.opts.Poll)
	r.last, r.view, r.gap = v.at, v, gap
	if len(v.loading) == 0 {
		r.shifted = nil
	}
	r.quiet += gap
	r.meter.at(v.at, r.passed)
	for _, t := range r.tracks {
		r.takeTrack(t, gap)
	}
	r.meter.trim(v.at)
}

func (r *run) takeTrack(t *track, gap time.Duration) {
	var listed *InFlight
	if f, ok := r.view.listed[t.TopicPartition]; ok {
		listed = &f
	}
	before, wasForeign := t.stage, t.foreign
	r.unqueue(t)
	if s, ok := r.view.states[t.TopicPartition]; ok {
		t.seen(listed, s, gap)
	} else if t.stage == waiting {
		t.foreign = listed != nil && !t.owns(*listed)
	}
	r.news.note(t, before, wasForeign)
	if t.stage != before {
		r.quiet = 0
	}
	if t.stage == moving && before == moving {
		t.quiet += gap
	} else {
		t.quiet = 0
	}
	if t.downFor += gap; !slices.ContainsFunc(t.To, func(b int32) bool { return r.broken(t, b) }) {
		t.downFor = 0
	}
	if t.stage == moving {
		r.quiet = 0
		took := r.passed
		if gap == 0 {
			took = 0 // read again within a look
		}
		r.measure(t, took)
	}
}

// broken says that a destination is down, or its log dir offline.
func (r *run) broken(t *track, to int32) bool {
	return !r.view.isLive(to) || r.logless(t, to) && r.disks[to].offline
}

// logless says that a destination shows no log of a move in flight. Metadata does
// not tell of a log dir that failed before its broker had told the controller which
// one it took (AssignReplicasToDirs), as it never did in time on 4.4.0.
func (r *run) logless(t *track, to int32) bool {
	_, shown := r.view.sizes[Replica{t.TopicPartition, to}]
	return t.stage == moving && r.view.sizes != nil && !shown && !slices.Contains(t.state.ISR, to)
}
