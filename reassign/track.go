package reassign

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"drain/plan"
)

// stage is how far a move is. It follows from what the cluster shows, so that a
// second run finds the same one.
type stage uint8

const (
	unseen   stage = iota // not looked at yet
	waiting               // the replicas are as before
	moving                // requested; Kafka copies, or the last replicas are awaited
	arrived               // the replicas are the target and in sync; order and leader are next
	complete              // nothing left to do
	void                  // the topic or partition is gone
	failed                // given up, see track.err
)

func (s stage) over() bool { return s >= complete }

// strange is after how long an odd state is believed: Metadata is one broker's
// own copy and was seen more than three seconds late. That a topic is gone is
// believed sooner, since a late copy still shows it.
const (
	strange = 10 * time.Second
	absent  = 2 * time.Second
)

// errTaken ends a move that somebody else changed or cancelled: we do not fight.
var errTaken = errors.New("somebody else changed or cancelled it; run again to go on")

// track is one move and what is known of it.
type track struct {
	plan.Move
	internal bool // of an internal topic
	along    bool // its leader changes with the move: lists as before are refused

	stage   stage
	state   PartitionState // as last seen
	foreign bool           // somebody else reassigns the partition
	unsure  bool           // the answer to our request never came
	err     error          // of stage failed

	atStart  []int32       // survivors that were in sync when it was requested
	odd      time.Duration // for how long it was seen in a state that fits no stage
	tries    int           // orders or elections asked for
	refusals int           // refused requests

	left     int64           // bytes to be copied to each destination
	copied   map[int32]int64 // bytes at each destination
	size     int64           // of the leader's log
	grows    int64           // bytes a second written to it
	quiet    time.Duration   // looked at without progress
	best     int64           // the least that was left so far; negative: none yet
	measured bool            // left is what the disks show
	downFor  time.Duration   // a destination has been down, or its log dir offline
	told     bool            // reported as stuck
	heard    string          // the last refusal of an order or election, reported once
	lacks    error           // why its settings do not stand
	cramped  string          // what room its destinations lack; empty: none
	fullFor  time.Duration   // for how long
	nowhere  bool            // no other destination was found for it
	since    time.Time       // off the lists since, for its last stretch; else zero
	asked    bool            // an election was asked for and has not shown yet
	deletion deletion        // of its topic
}

func newTrack(m plan.Move) *track {
	t := &track{Move: m, internal: plan.IsInternal(m.Topic), copied: map[int32]int64{}, best: -1}
	if len(m.To) > 0 {
		t.left = m.Bytes / int64(len(m.To))
	}
	return t
}

// seen takes in what the cluster shows of the partition: its entry in the list
// of reassignments, if there is one, and its state, read afterwards. The look
// before was gap ago.
func (t *track) seen(listed *InFlight, s PartitionState, gap time.Duration) {
	if t.stage.over() || s.LeaderEpoch < t.state.LeaderEpoch && !s.Gone && s.TopicID == t.state.TopicID {
		return // older than what was seen already
	}
	known := t.TopicID != [16]byte{}
	switch {
	case s.Gone:
		t.strangely(absent, gap, func() { t.stage = void })
		return
	case known && s.TopicID != [16]byte{} && s.TopicID != t.TopicID:
		t.stage = void
		return
	}
	t.state = s
	t.foreign = listed != nil && !t.owns(*listed)
	switch {
	case listed != nil:
		t.seenListed(gap)
	case sameSet(s.Replicas, t.After):
		t.seenThere()
	case sameSet(s.Replicas, t.Before):
		t.seenBefore(gap)
	default:
		t.strangely(strange, gap, func() { t.fail(fmt.Errorf("its replicas are %v now, planned from %v", s.Replicas, t.Before)) })
	}
}

// owns says that the reassignment is the one we ask for: the same target, from
// the same replicas. One that somebody else has overridden lists more.
func (t *track) owns(f InFlight) bool {
	target := slices.DeleteFunc(slices.Clone(f.Replicas), func(b int32) bool { return slices.Contains(f.Removing, b) })
	all := slices.Concat(t.Before, t.To)
	return sameSet(target, t.After) && sameSet(f.Replicas, all)
}

func (t *track) seenListed(gap time.Duration) {
	switch {
	case t.foreign && t.stage >= moving:
		t.strangely(strange, gap, func() { t.fail(errTaken) })
	case t.foreign:
		t.stage = waiting
	default:
		t.begin()
	}
}

// begin is when our own reassignment was requested, or found in flight.
func (t *track) begin() {
	t.odd, t.unsure = 0, false
	if t.stage == moving {
		return
	}
	t.stage = moving
	t.atStart = intersect(t.state.ISR, intersect(t.Before, t.After))
}

// seenThere is for a partition whose replicas are the target. It is not done
// before they are in sync: "no longer listed" is not "fully replicated", since
// completion itself may shrink the ISR (KAFKA-19975).
func (t *track) seenThere() {
	t.odd = 0
	if t.stage == arrived {
		return
	}
	t.stage = moving
	if subset(t.To, t.state.ISR) && subset(t.atStart, t.state.ISR) {
		t.stage, t.left = arrived, 0
		t.asked, t.tries = false, 0
	}
}

func (t *track) seenBefore(gap time.Duration) {
	switch {
	case t.stage >= moving && !t.unsure:
		t.strangely(strange, gap, func() { t.fail(errTaken) })
	case t.stage >= moving:
		t.strangely(strange, gap, func() { t.stage, t.unsure = waiting, false })
	default:
		t.odd = 0
		t.stage = waiting
	}
}

// strangely calls then once something odd was seen for long enough. The first
// look does not tell since when.
func (t *track) strangely(long, gap time.Duration, then func()) {
	if t.odd == 0 {
		gap = 1
	}
	if t.odd += gap; t.odd >= long {
		t.odd = 0
		then()
	}
}

func (t *track) fail(err error) {
	t.stage = failed
	t.err = &MoveError{t.TopicPartition, t.After, err}
}

// weak says that a survivor is not in sync: the move then goes last.
func (t *track) weak() bool { return !subset(intersect(t.Before, t.After), t.state.ISR) }

// joined says that every added replica is in sync.
func (t *track) joined() bool { return t.stage >= arrived || subset(t.To, t.state.ISR) }

func sameSet(a, b []int32) bool { return len(a) == len(b) && subset(a, b) }

func subset(a, b []int32) bool {
	return !slices.ContainsFunc(a, func(x int32) bool { return !slices.Contains(b, x) })
}

// intersect returns what of a is in b, in the order of a.
func intersect(a, b []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(a), func(x int32) bool { return !slices.Contains(b, x) })
}
