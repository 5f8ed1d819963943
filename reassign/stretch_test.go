package reassign

import (
	"slices"
	"testing"
	"time"

	"drain/plan"
)

// stretching is a run at one megabyte a second whose moves, all from broker 1 to
// broker 9, have so much left.
func stretching(left ...int64) *run {
	var moves []plan.Move
	for i := range left {
		moves = append(moves, plan.Move{TopicPartition: tp("t", int32(i)), Before: []int32{1}, After: []int32{9}, From: []int32{1}, To: []int32{9}})
	}
	r := newRun(moves, Options{}.withDefaults())
	r.rate = 1e6
	r.view.at = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, t := range r.tracks {
		t.stage, t.measured, t.left = moving, true, left[i]
		t.state = state(1, []int32{9, 1}, []int32{1})
	}
	return r
}

// off lists the moves that are off the lists.
func (r *run) off() []int {
	var off []int
	for i, t := range r.tracks {
		if !t.since.IsZero() {
			off = append(off, i)
		}
	}
	return off
}

func TestStretches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		left   []int64
		change func(*run)
		want   []int
	}{
		{"one that has nearly caught up", []int64{500_000}, nil, []int{0}},
		{"one that has not", []int64{800_000}, nil, nil},
		{"the least first, as far as the ration goes", []int64{400_000, 300_000, 200_000}, nil, []int{1, 2}},
		{"a size that nobody told is no reason", []int64{0}, func(r *run) { r.tracks[0].measured = false }, nil},
		{"what is in sync needs none", []int64{0}, func(r *run) { r.tracks[0].state.ISR = []int32{1, 9} }, nil},
		{"what waits has not begun", []int64{0}, func(r *run) { r.tracks[0].stage = waiting }, nil},
		{"without a throttle there are no lists", []int64{0}, func(r *run) { r.rate = 0 }, nil},
		{"a lane of the other end may be slower", []int64{500_000}, func(r *run) {
			r.rates = func(at Lane) int64 {
				if at.Sends {
					return 100_000
				}
				return 1e6
			}
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := stretching(c.left...)
			if c.change != nil {
				c.change(r)
			}
			r.stretches(r.rates)
			if got := r.off(); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// One that is not in sync after a while goes back on the lists: what is written
// to it would run without a throttle for ever.
func TestStretchEnds(t *testing.T) {
	t.Parallel()
	r := stretching(500_000)
	r.stretches(r.rates)
	r.tracks[0].left = 5e6
	for range 6 {
		r.view.at, r.gap = r.view.at.Add(time.Second), time.Second
		r.stretches(r.rates)
	}
	if off := r.off(); len(off) > 0 {
		t.Errorf("still off the lists after six seconds: %v", off)
	}
}

// However many small moves there are: what runs off the lists stays under a
// fifth of the throttle over any 15 s.
func TestStretchesAreRationed(t *testing.T) {
	t.Parallel()
	r := stretching(slices.Repeat([]int64{50_000}, 600)...)
	var spent []int64
	for range 60 {
		before := len(r.off())
		r.stretches(r.rates)
		spent = append(spent, int64(len(r.off())-before)*50_000)
		for _, i := range r.off() {
			r.tracks[i].state.ISR = []int32{1, 9}
		}
		r.view.at, r.gap = r.view.at.Add(time.Second), time.Second
	}
	for i := range len(spent) - 15 {
		var sum int64
		for _, s := range spent[i : i+15] {
			sum += s
		}
		if sum > 15*1e6/5 {
			t.Errorf("%d bytes off the lists in the 15 s from %d, want at most a fifth of 15 MB", sum, i)
		}
	}
	if spent[0] == 0 || spent[59] == 0 {
		t.Errorf("nothing was off the lists at the start or the end: %v", spent)
	}
}

func TestCause(t *testing.T) {
	t.Parallel()
	replica := func(b int32) Replica { return Replica{tp("t", 0), b} }
	for _, c := range []struct {
		name   string
		change func(r *run, t *track)
		want   string
	}{
		{"nothing special", func(*run, *track) {}, "no bytes are copied"},
		{"the destination is down", func(r *run, _ *track) { r.view.live = []int32{1} }, "its destination, broker 9, is down"},
		{"no leader", func(_ *run, t *track) { t.state.Leader = plan.NoLeader }, "it has no leader to copy from"},
		{"no leader, since the source is down", func(r *run, t *track) { t.state.Leader, r.view.live = plan.NoLeader, []int32{9} }, "it has no leader to copy from: broker 1 is down"},
		{"the source hangs", func(r *run, _ *track) { delete(r.view.sizes, replica(1)) }, "its source, broker 1, does not answer"},
		{"the log dir is offline", func(r *run, _ *track) {
			delete(r.view.sizes, replica(9))
			r.disks[9] = disk{offline: true}
		}, "its log dir on its destination, broker 9, is offline"},
		{"another log dir is offline", func(r *run, _ *track) { r.disks[9] = disk{offline: true} }, "no bytes are copied"},
		{"the log is not there", func(r *run, _ *track) { delete(r.view.sizes, replica(9)) }, "its destination, broker 9, shows no log of it; is its log dir offline?"},
		{"no sizes at all tell nothing", func(r *run, _ *track) { r.view.sizes = nil }, "no bytes are copied"},
		{"a throttle under the writes", func(_ *run, t *track) { t.grows = 1e6 }, "a throttle of 1 MB/s is under what is written to it: at least 1.2 MB/s is needed"},
		{"a foreign throttle", func(r *run, _ *track) { r.rates = func(Lane) int64 { return 10 } }, "a throttle of 10 B/s that somebody else has set"},
		{"a throttle that adapts is ours", func(r *run, _ *track) {
			r.ours = func(Lane) int64 { return 1000 }
			r.rates = r.ours
		}, "no bytes are copied"},
		{"a throttle that still rises is ours", func(r *run, _ *track) {
			r.rates = func(at Lane) int64 { return r.soft(at) }
		}, "no bytes are copied"},
		{"a survivor out of sync", func(r *run, t *track) {
			r.view.live = append(r.view.live, 2)
			t.After, t.state.ISR = []int32{9, 2}, []int32{1, 9}
		}, "the new replica is in sync; it waits for broker 2, which stays and is out of sync"},
		{"a survivor that is down", func(_ *run, t *track) { t.After, t.state.ISR = []int32{9, 2}, []int32{1, 9} }, "the new replica is in sync; it waits for broker 2, which stays and is down"},
		{"only Kafka knows", func(_ *run, t *track) { t.state.ISR = []int32{1, 9} }, "every replica is in sync, and Kafka has not completed it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := stretching(5e6)
			r.view.live = []int32{1, 9}
			r.view.sizes = map[Replica]int64{replica(1): 9e6, replica(9): 4e6}
			c.change(r, r.tracks[0])
			if got := r.cause(r.tracks[0]); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
