package reassign

import (
	"slices"
	"time"
)

// span is how far back rates are measured: longer than Kafka's own window of
// 11 s plus a look.
const span = 15 * time.Second

// meter is what was copied of late, on each lane.
type meter struct{ samples []sample }

type sample struct {
	at    time.Time
	gap   time.Duration
	lanes map[Lane]int64
	bytes int64
}

// at is the sample of the look at that time, gap after the one before.
func (m *meter) at(at time.Time, gap time.Duration) *sample {
	if n := len(m.samples); n > 0 && m.samples[n-1].at.Equal(at) {
		return &m.samples[n-1]
	}
	m.samples = append(m.samples, sample{at: at, gap: gap, lanes: map[Lane]int64{}})
	return &m.samples[len(m.samples)-1]
}

func (m *meter) trim(now time.Time) {
	m.samples = slices.DeleteFunc(m.samples, func(s sample) bool { return now.Sub(s.at) > span })
}

func (m *meter) spanned() time.Duration {
	var d time.Duration
	for _, s := range m.samples {
		d += s.gap
	}
	return d
}

// rate is the bytes a second on a lane, and whether it was measured for long
// enough to mean anything.
func (m *meter) rate(at Lane) (int64, bool) {
	d := m.spanned()
	if d < span/2 {
		return 0, false
	}
	var bytes int64
	for _, s := range m.samples {
		bytes += s.lanes[at]
	}
	return int64(float64(bytes) / d.Seconds()), true
}

// total is the bytes a second over all destinations.
func (m *meter) total() int64 {
	d := m.spanned()
	if d == 0 {
		return 0
	}
	var bytes int64
	for _, s := range m.samples {
		bytes += s.bytes
	}
	return int64(float64(bytes) / d.Seconds())
}

// measure takes in the sizes of the logs of a move in flight. Only growth
// counts as copied: retention and compaction make logs smaller.
func (r *run) measure(t *track, gap time.Duration) {
	size, known := r.view.sizes[Replica{t.TopicPartition, t.state.Leader}]
	if known {
		if t.size > 0 && gap > 0 {
			t.grows = (t.grows + max(0, int64(float64(size-t.size)/gap.Seconds()))) / 2
		}
		t.size = size
	} else if size = t.size; size == 0 && len(t.To) > 0 {
		size = t.Bytes / int64(len(t.To))
	}
	var left, copied int64
	t.measured = known
	for _, to := range t.To {
		before, seen := t.copied[to]
		have, ok := r.view.sizes[Replica{t.TopicPartition, to}]
		if !ok {
			have, t.measured = before, false
		}
		if grown := have - before; seen && grown > 0 {
			copied += grown
			r.meter.count(r.view.at, gap, Lane{to, false}, grown)
		}
		t.copied[to] = have
		if !slices.Contains(t.state.ISR, to) {
			left = max(left, size-have)
		}
	}
	if copied > 0 {
		r.meter.count(r.view.at, gap, Lane{t.state.Leader, true}, copied)
	}
	// Bytes that are written as fast as they are copied are no progress.
	if t.left = left; t.measured && (t.best < 0 || left < t.best) {
		t.best, t.quiet = left, 0
	}
}

func (m *meter) count(at time.Time, gap time.Duration, lane Lane, bytes int64) {
	s := m.at(at, gap)
	s.lanes[lane] += bytes
	if !lane.Sends {
		s.bytes += bytes
	}
}
