package plan

import (
	"slices"
	"time"
)

// Move is the change of one partition's replica list.
type Move struct {
	TopicPartition
	TopicID [16]byte // zero if unknown

	Before []int32 // the replica list before, in order
	After  []int32 // the replica list afterwards, in order, LeadsFirst first
	From   []int32 // what leaves, in the order of Before
	To     []int32 // what comes instead, in the same positions
	Bytes  int64   // to be copied, over all of To; an unknown size counts as 0

	Leader      int32 // when planned, or NoLeader
	LeadsDuring int32 // who leads while copying, or NoLeader if nobody needs to change
	LeadsFirst  int32 // who is first in the list afterwards

	// Dirs names, beside each of To, the log dir it should go to; empty where
	// the broker has only one.
	Dirs []string
}

// During is the list to submit: After with LeadsDuring, if it stays, put first.
func (m Move) During() []int32 {
	i := slices.Index(m.After, m.LeadsDuring)
	if i <= 0 {
		return slices.Clone(m.After)
	}
	list := slices.Clone(m.After)
	copy(list[1:i+1], m.After[:i])
	list[0] = m.LeadsDuring
	return list
}

// Totals sums a plan up.
type Totals struct {
	Moves       int
	Bytes       int64
	BoundBytes  int64         // no valid plan moves less
	Time        time.Duration // expected; 0 without a throttle
	BoundTime   time.Duration // no valid plan takes less; 0 without a throttle
	Binding     string        // which bound it is
	HelperMoves int           // made only to make room
}

// Plan is what has to move, and what stands in the way. Moves are sorted by
// topic, then partition.
type Plan struct {
	Brokers  []int32
	Mode     Mode
	Moves    []Move
	Totals   Totals
	Findings []Finding // sorted; see CompareFindings

	// Left are replicas that stay on the drained brokers: excluded topics, or
	// those that mode AtRisk leaves.
	Left []TopicPartition
}

// Blocked returns the findings of level Block.
func (p Plan) Blocked() []Finding {
	return slices.DeleteFunc(slices.Clone(p.Findings), func(f Finding) bool { return f.Level != Block })
}
