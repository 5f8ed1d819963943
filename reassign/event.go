package reassign

import (
	"time"

	"drain/plan"
)

// EventKind says what happened.
type EventKind string

// The kinds of events. Beside each: what is set, other than Text.
const (
	Progressed EventKind = "progress"  // at each look: Progress
	Submitted  EventKind = "submitted" // moves were requested: Partitions
	Adopted    EventKind = "adopted"   // moves of an earlier run are still in flight: Partitions
	Completed  EventKind = "completed" // moves are verified complete: Partitions
	Queued     EventKind = "queued"    // the topic is queued for deletion, which has not ended: Partitions
	Void       EventKind = "void"      // the topic or partition is gone, or another one has its name: Partitions
	Refused    EventKind = "refused"   // Kafka refused moves or elections: Partitions
	Foreign    EventKind = "foreign"   // somebody else moves these, or took ours over: Partitions
	Cancelled  EventKind = "cancelled" // moves of ours were cancelled by us: Partitions
	Stuck      EventKind = "stuck"     // no progress for a while: Partitions
	Replanned  EventKind = "replanned" // other destinations were found: Partitions
	Owed       EventKind = "owed"      // a setting was made: Debt
	Repaid     EventKind = "repaid"    // a setting was given back: Debt
	PutBack    EventKind = "putBack"   // somebody else removed or replaced a setting of ours; it stands again: Debt
	Kept       EventKind = "kept"      // a setting stays, since Kafka still copies or its broker is away: Debt
	Left       EventKind = "left"      // somebody else's setting stays, instead of ours: Broker
	RateIs     EventKind = "rate"      // the throttle changed: BytesPerSec as it is now (0: none), and Broker, where it is of one and adapts
	TooSlow    EventKind = "tooSlow"   // the throttle is under what is written: Broker, and BytesPerSec that are written
	Unheld     EventKind = "unheld"    // a rate is far from its throttle: Broker, and BytesPerSec as measured
	Paused     EventKind = "paused"    // nothing new starts
	Resumed    EventKind = "resumed"   // it goes on
	Silent     EventKind = "silent"    // the controller does not answer
	Heard      EventKind = "heard"     // it answers again
	Retried    EventKind = "retried"   // a request failed and is repeated, or cannot be made yet: Partitions, Broker, where it is of some
)

// Event is something that happened during a move. Text is one line for people
// that needs no other field.
type Event struct {
	Kind        EventKind
	Text        string
	Partitions  []plan.TopicPartition // sorted
	Broker      int32                 // see About; of another kind it says nothing
	BytesPerSec int64
	Debt        *Debt
	Progress    *Progress
}

// About is the broker that an event is about, if it is about one. Only of kinds
// that may be is Broker set, to -1 where it is none.
func (e Event) About() (broker int32, ok bool) {
	switch e.Kind {
	case Owed, Repaid, PutBack, Kept, Left, RateIs, TooSlow, Unheld, Retried:
		return e.Broker, e.Broker >= 0
	}
	return -1, false
}

// Rate is the rate that an event of its kind tells, if it tells one.
func (e Event) Rate() (bytesPerSec int64, ok bool) {
	return e.BytesPerSec, e.Kind == RateIs || e.Kind == TooSlow || e.Kind == Unheld
}

// Progress is how far a plan is. Bytes are measured on the disks.
type Progress struct {
	Moves, MovesTotal int
	Bytes, BytesTotal int64
	BytesPerSec       int64         // copied of late
	Limit             int64         // the throttle of each broker; 0: none
	Left              time.Duration // expected; negative: not known
	InFlight          []Flight
}

// Flight is one move that Kafka copies.
type Flight struct {
	plan.TopicPartition
	Left  int64         // bytes, over all destinations
	Quiet time.Duration // since the last progress, as far as it was looked at
	Why   string        // the likely cause, once it is quiet for long
}
