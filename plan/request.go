package plan

import "time"

// Mode is how much leaves the drained brokers.
type Mode uint8

// The modes of a drain.
const (
	Evacuate Mode = iota // every replica leaves
	AtRisk               // only those that the stop would leave leaderless or under min ISR
)

// String is the word of the contract.
func (m Mode) String() string {
	if m == AtRisk {
		return "at-risk"
	}
	return "evacuate"
}

// Request says what to plan.
type Request struct {
	Brokers []int32 // to be drained, planned together
	Mode    Mode

	Destinations     []int32                 // who may receive; nil: any live broker
	DestinationRacks []string                // racks that may; nil: any
	Exclude          []int32                 // who may not
	Draining         []int32                 // brokers that other runs drain: no destinations either
	ExcludeTopics    func(topic string) bool // replicas that stay; nil: none. Must be pure

	BytesPerSec  int64   // throttle into and out of each broker; 0: none
	Slack        float64 // how far from the least time for the sake of balance, 0 or more
	DiskHeadroom float64 // part of each disk to leave free, 0 to under 1
	AcceptRisks  []string

	// Own are the moves of an earlier run of this drain that may still be in
	// flight: they are adopted, not taken for somebody else's.
	Own []Move

	// Longest is how long the moves may be expected to take; 0 is 30 days.
	Longest time.Duration
}
