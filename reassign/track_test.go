package reassign

import (
	"errors"
	"slices"
	"testing"
	"time"

	"drain/plan"
)

// aMove puts 4 in the place of 1, the preferred leader.
func aMove() plan.Move {
	return plan.Move{
		TopicPartition: tp("t", 0), TopicID: [16]byte{1}, Before: []int32{1, 2, 3}, After: []int32{4, 2, 3},
		From: []int32{1}, To: []int32{4}, Bytes: 100, Leader: 1, LeadsDuring: 2, LeadsFirst: 4,
	}
}

func state(leader int32, replicas, isr []int32) PartitionState {
	return PartitionState{TopicPartition: tp("t", 0), TopicID: [16]byte{1}, Leader: leader, Replicas: replicas, ISR: isr}
}

func flight(replicas, adding, removing []int32) *InFlight {
	return &InFlight{tp("t", 0), replicas, adding, removing}
}

// look is what one look shows, and for how long it has shown it.
type look struct {
	listed *InFlight
	state  PartitionState
	times  int // looks, two seconds apart; 0: one
}

func TestTrack(t *testing.T) {
	t.Parallel()
	all, target := []int32{1, 2, 3}, []int32{4, 2, 3}
	own := flight([]int32{2, 4, 3, 1}, []int32{4}, []int32{1})
	theirs := flight([]int32{2, 5, 3, 1}, []int32{5}, []int32{1})
	before := look{nil, state(1, all, all), 0}
	copying := look{own, state(2, own.Replicas, all), 0}
	there := look{nil, state(2, target, target), 0}
	times := func(l look, n int) look { l.times = n; return l }
	gone := look{nil, PartitionState{TopicPartition: tp("t", 0), Gone: true}, 0}
	anew := look{nil, PartitionState{TopicPartition: tp("t", 0), TopicID: [16]byte{2}, Replicas: all, ISR: all}, 0}
	older := there
	older.state.LeaderEpoch = -1
	for _, c := range []struct {
		name    string
		looks   []look
		want    stage
		foreign bool
		err     error
	}{
		{name: "not looked at", want: unseen},
		{name: "as before", looks: []look{before}, want: waiting},
		{name: "in another order", looks: []look{{nil, state(2, []int32{2, 1, 3}, all), 0}}, want: waiting},
		{name: "ours in flight", looks: []look{copying}, want: moving},
		{name: "ours, the target in another order", looks: []look{{flight([]int32{4, 3, 2, 1}, []int32{4}, []int32{1}), state(1, all, all), 0}}, want: moving},
		{name: "done, and in sync", looks: []look{copying, there}, want: arrived},
		{name: "done before we looked", looks: []look{there}, want: arrived},
		{name: "no longer listed, the new replica out of sync", looks: []look{copying, {nil, state(2, target, []int32{2, 3}), 0}}, want: moving},
		{name: "no longer listed, a survivor has left", looks: []look{copying, {nil, state(4, target, []int32{4, 3}), 99}}, want: moving},
		{name: "a survivor was out of sync before", looks: []look{{own, state(2, own.Replicas, []int32{1, 2}), 0}, {nil, state(2, target, []int32{4, 2}), 0}}, want: arrived},
		{name: "an older answer is not believed", looks: []look{copying, older}, want: moving},
		{name: "somebody else's", looks: []look{{theirs, state(1, theirs.Replicas, all), 0}}, want: waiting, foreign: true},
		{name: "somebody else's has ended", looks: []look{{theirs, state(1, theirs.Replicas, all), 0}, before}, want: waiting},
		{name: "ours, overridden by somebody else", looks: []look{copying, {flight([]int32{2, 5, 3, 1, 4}, []int32{5}, []int32{1, 4}), state(2, []int32{2, 5, 3, 1, 4}, all), 6}}, want: failed, foreign: true, err: errTaken},
		{name: "that is believed after a while only", looks: []look{copying, {theirs, state(2, theirs.Replicas, all), 2}}, want: moving, foreign: true},
		{name: "cancelled by somebody else", looks: []look{copying, times(before, 6)}, want: failed, err: errTaken},
		{name: "metadata that is late", looks: []look{copying, times(before, 3), copying, times(before, 3), there}, want: arrived},
		{name: "the list is new, the metadata late", looks: []look{copying, {nil, state(2, own.Replicas, all), 3}, there}, want: arrived},
		{name: "replicas that nobody planned", looks: []look{{nil, state(7, []int32{7, 8}, []int32{7, 8}), 6}}, want: failed},
		{name: "the topic is gone", looks: []look{copying, times(gone, 2)}, want: void},
		{name: "one answer does not make it gone", looks: []look{copying, gone, copying}, want: moving},
		{name: "another topic of that name", looks: []look{copying, anew}, want: void},
		{name: "what is over stays over", looks: []look{anew, copying}, want: void},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrack(aMove())
			for _, l := range c.looks {
				for range max(1, l.times) {
					tr.seen(l.listed, l.state, 2*time.Second)
				}
			}
			if tr.stage != c.want || tr.foreign != c.foreign {
				t.Errorf("got stage %d, foreign %v; want %d, %v", tr.stage, tr.foreign, c.want, c.foreign)
			}
			if c.err != nil && !errors.Is(tr.err, c.err) {
				t.Errorf("got %v, want %v", tr.err, c.err)
			}
		})
	}
}

// A request whose answer never came is at one end or the other: at the old one
// it waits again, and is nobody else's doing.
func TestTrackWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	all := []int32{1, 2, 3}
	tr := newTrack(aMove())
	tr.seen(nil, state(1, all, all), 0)
	tr.request()
	tr.unsure = true
	tr.seen(nil, state(1, all, all), 2*time.Second)
	if tr.stage != moving {
		t.Errorf("got stage %d at once, want %d: metadata may be late", tr.stage, moving)
	}
	for range 6 {
		tr.seen(nil, state(1, all, all), 2*time.Second)
	}
	if tr.stage != waiting || tr.unsure {
		t.Errorf("got stage %d, unsure %v; want it to wait again", tr.stage, tr.unsure)
	}
}

func TestOwns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		f    *InFlight
		want bool
	}{
		{"the target, then what leaves", flight([]int32{4, 2, 3, 1}, []int32{4}, []int32{1}), true},
		{"in the order of ZooKeeper", flight([]int32{2, 4, 3, 1}, []int32{4}, []int32{1}), true},
		{"another destination", flight([]int32{5, 2, 3, 1}, []int32{5}, []int32{1}), false},
		{"another replica leaves", flight([]int32{4, 1, 3, 2}, []int32{4}, []int32{2}), false},
		{"one replica more", flight([]int32{1, 2, 3, 4}, []int32{4}, nil), false},
		{"ours, laid over another one", flight([]int32{4, 2, 3, 1, 5}, []int32{4}, []int32{1, 5}), false},
		{"rolled back for ever", flight([]int32{1, 2, 3, 4}, []int32{4}, []int32{4}), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := newTrack(aMove()).owns(*c.f); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestShift(t *testing.T) {
	t.Parallel()
	all, target := []int32{1, 2, 3}, []int32{4, 2, 3}
	for _, c := range []struct {
		name   string
		stage  stage
		state  PartitionState
		change func(*track)
		order  []int32
		leader int32
		none   bool
	}{
		{name: "before copying a survivor leads", stage: waiting, state: state(1, all, all), order: []int32{2, 1, 3}, leader: 2},
		{name: "it is first already", stage: waiting, state: state(1, []int32{2, 1, 3}, all), leader: 2},
		{name: "it leads already", stage: waiting, state: state(2, []int32{2, 1, 3}, all), none: true},
		{name: "it is out of sync", stage: waiting, state: state(1, all, []int32{1, 3}), none: true},
		{name: "nobody needs to change", stage: waiting, state: state(1, all, all), change: func(t *track) { t.LeadsDuring = plan.NoLeader }, none: true},
		{name: "who leads is to leave", stage: waiting, state: state(2, all, all), change: func(t *track) { t.LeadsDuring = 1 }, none: true},
		{name: "somebody else has the partition", stage: waiting, state: state(1, all, all), change: func(t *track) { t.foreign = true }, none: true},
		{name: "it was asked for often enough", stage: waiting, state: state(1, all, all), change: func(t *track) { t.tries = mostTries }, none: true},
		{name: "while copying the leader that has not come yet is asked for", stage: moving, state: state(1, []int32{2, 4, 3, 1}, all), leader: 2},
		{name: "while copying nothing else changes", stage: moving, state: state(2, []int32{2, 4, 3, 1}, all), none: true},
		{name: "nor once the new replica is in sync", stage: moving, state: state(1, []int32{2, 4, 3, 1}, []int32{1, 2, 3, 4}), none: true},
		{name: "a cordoned broker's leadership goes with the move", stage: waiting, state: state(1, all, all), change: func(t *track) { t.along = true }, none: true},
		{name: "afterwards the final order, and its first leads", stage: arrived, state: state(2, []int32{2, 4, 3}, target), order: target, leader: 4},
		{name: "the order is there", stage: arrived, state: state(2, target, target), leader: 4},
		{name: "all is there", stage: arrived, state: state(4, target, target), none: true},
		{name: "the first is out of sync", stage: arrived, state: state(2, []int32{2, 4, 3}, []int32{2, 3}), order: target, leader: plan.NoLeader},
		{
			name: "leadership was never touched", stage: arrived, state: state(3, []int32{2, 4, 3}, target),
			change: func(t *track) { t.LeadsDuring, t.Leader = plan.NoLeader, 3 }, order: target, leader: plan.NoLeader,
		},
		{
			name: "a single replica", stage: arrived, state: state(4, []int32{4}, []int32{4}),
			change: func(t *track) {
				t.Before, t.After, t.LeadsDuring = []int32{1}, []int32{4}, plan.NoLeader
			}, none: true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrack(aMove())
			tr.stage, tr.state = c.stage, c.state
			if c.change != nil {
				c.change(tr)
			}
			s, needed := tr.shift()
			if needed == c.none {
				t.Fatalf("got %v %d, needed %v", s.order, s.leader, needed)
			}
			if needed && (!slices.Equal(s.order, c.order) || s.leader != c.leader) {
				t.Errorf("got %v led by %d, want %v led by %d", s.order, s.leader, c.order, c.leader)
			}
			if !slices.Equal(tr.state.Replicas, c.state.Replicas) {
				t.Errorf("the state was changed: %v", tr.state.Replicas)
			}
		})
	}
}

// Leadership leaves in batches: the next begins once the one before shows, and
// while no ISR of it has shrunk.
func TestShiftsGoInBatches(t *testing.T) {
	t.Parallel()
	all := []int32{1, 2, 3}
	led := func(topic string) *run {
		var moves []plan.Move
		for i := range int32(120) {
			m := aMove()
			m.TopicPartition = tp(topic, i)
			moves = append(moves, m)
		}
		r := newRun(moves, Options{}.withDefaults())
		r.view.live = []int32{1, 2, 3, 4}
		for _, t := range r.tracks {
			t.stage, t.state = waiting, state(1, all, all)
		}
		return r
	}
	batch := func(r *run) []*track {
		may := r.leaders()
		return r.shifts(&may)
	}
	ask := func(tracks []*track) {
		for _, t := range tracks {
			t.asked, t.atStart, t.tries = true, []int32{2, 3}, 1
		}
	}
	r := led("t")
	first := batch(r)
	if len(first) != batchElections {
		t.Fatalf("got %d, want %d", len(first), batchElections)
	}
	ask(first)
	for _, tr := range first[:49] {
		tr.state = state(2, []int32{2, 1, 3}, all)
	}
	next := batch(r)
	if len(next) != batchElections || next[0] != first[49] {
		t.Errorf("got %d, want the one that does not show yet and %d more", len(next), batchElections-1)
	}
	ask(next)
	first[49].state.ISR = []int32{1, 2}
	if next := batch(r); len(next) > 0 {
		t.Errorf("got %d, while an ISR has shrunk", len(next))
	}
	r.view.live = []int32{1, 2, 4}
	if next := batch(r); len(next) == 0 {
		t.Error("got none, while the broker that left the ISR is known to be away")
	}
	r.paused = []string{"broker 9 is away"}
	if next := batch(r); len(next) > 0 {
		t.Errorf("got %d, while nothing new may start", len(next))
	}

	r = led("__consumer_offsets")
	if got := len(batch(r)); got != batchInternal {
		t.Errorf("got %d internal ones, want %d", got, batchInternal)
	}
	r.view.loading = []plan.TopicPartition{tp("__consumer_offsets", 0)}
	if got := len(batch(r)); got != 0 {
		t.Errorf("got %d internal ones, while a coordinator loads", got)
	}
}
