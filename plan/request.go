package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Mode is how much leaves the drained brokers.
type Mode uint8

// The modes of a drain.
const (
	Evacuate Mode = iota // every replica leaves
	AtRisk               // only those that the stop would leave leaderless or under min ISR
)

// String is the word of runbooks and of the JSON form.
func (m Mode) String() string {
	if m == AtRisk {
		return "at-risk"
	}
	return "evacuate"
}

// Pattern picks topics by name.
type Pattern interface {
	Match(topic string) bool // must be pure
	String() string          // the pattern as it was written
}

// Request says what to plan.
type Request struct {
	Brokers []int32 // to be drained, planned together
	Mode    Mode

	Destinations     []int32   // who may receive; nil: any live broker
	DestinationRacks []string  // racks that may; nil: any
	Exclude          []int32   // who may not
	Draining         []int32   // brokers that other runs drain: no destinations either
	ExcludeTopics    []Pattern // whose replicas stay; nil: none

	BytesPerSec  int64    // throttle into and out of each broker, where no lower one stands; 0: none
	Slack        float64  // how far from the least time for the sake of balance, 0 or more
	DiskHeadroom float64  // part of each disk to leave free, 0 to under 1
	AcceptRisks  []string // risk words; a finding that one accepts is of level Warn

	// How many moves are in flight at once, into a broker and in the cluster, for the
	// time they take; 0 are 64 and 1,000.
	InFlightPerBroker, InFlight int

	// NameDirs says that log dirs are named before a move is submitted
	// (AlterReplicaLogDirs). Without it a replica has to fit the dir that Kafka
	// will pick, the one with the fewest logs.
	NameDirs bool

	// WriteRate is what producers write to a partition, bytes a second, or 0;
	// nil: unknown. Must be pure.
	WriteRate func(TopicPartition) int64

	// Own are the moves of an earlier run of this drain that may still be in
	// flight: they are adopted, not taken for somebody else's.
	Own []Move

	// Longest is how long the moves may be expected to take; 0 is 30 days.
	Longest time.Duration
}

// DefaultLongest is how long moves may be expected to take without a deadline.
const DefaultLongest = 30 * 24 * time.Hour

func (r *Request) longest() time.Duration {
	if r.Longest > 0 {
		return r.Longest
	}
	return DefaultLongest
}

func (r *Request) perBroker() int {
	if r.InFlightPerBroker > 0 {
		return r.InFlightPerBroker
	}
	return 64
}

func (r *Request) inCluster() int {
	if r.InFlight > 0 {
		return r.InFlight
	}
	return 1000
}

// excludes says that the replicas of the topic stay.
func (r *Request) excludes(topic string) bool {
	return slices.ContainsFunc(r.ExcludeTopics, func(p Pattern) bool { return p.Match(topic) })
}

func (r *Request) accepts(risk string) bool { return slices.Contains(r.AcceptRisks, risk) }

// InvalidRequest is a request that cannot be meant.
type InvalidRequest struct{ Reason string }

func (e *InvalidRequest) Error() string { return "invalid request: " + e.Reason }

// UnknownBroker is a broker to be drained that is neither registered nor in any
// replica list.
type UnknownBroker struct {
	ID    int32
	Known []int32 // the registered brokers, by ID
}

func (e *UnknownBroker) Error() string {
	const most = 20
	var names []string
	for _, id := range e.Known[:min(most, len(e.Known))] {
		names = append(names, fmt.Sprint(id))
	}
	if len(e.Known) > most {
		names = append(names, fmt.Sprintf("%d more", len(e.Known)-most))
	}
	return fmt.Sprintf("no broker %d: it is not registered and in no replica list; there are %s", e.ID, strings.Join(names, ", "))
}

func (r *Request) check() error {
	brokers := slices.Sorted(slices.Values(r.Brokers))
	switch {
	case len(brokers) == 0:
		return &InvalidRequest{"no broker to drain: name at least one"}
	case brokers[0] < 0:
		return &InvalidRequest{fmt.Sprintf("broker %d: an ID is 0 or more", brokers[0])}
	case len(slices.Compact(brokers)) < len(r.Brokers):
		return &InvalidRequest{"a broker to drain is named twice"}
	case !(r.Slack >= 0):
		return &InvalidRequest{fmt.Sprintf("slack %v: 0 or more", r.Slack)}
	case !(r.DiskHeadroom >= 0 && r.DiskHeadroom < 1):
		return &InvalidRequest{fmt.Sprintf("disk headroom %v: from 0 to under 1", r.DiskHeadroom)}
	case r.BytesPerSec < 0:
		return &InvalidRequest{fmt.Sprintf("throttle of %d bytes a second: more than 0, or 0 for none", r.BytesPerSec)}
	}
	return nil
}

// checkBrokers looks for the brokers to be drained: in the cluster, in replica
// lists, and in moves of an earlier run.
func (s *survey) checkBrokers() error {
	for _, id := range slices.Sorted(slices.Values(s.r.Brokers)) {
		_, known := s.c.Broker(id)
		known = known || s.nodes[s.index.of(id)].replicas > 0
		for i := 0; !known && i < len(s.r.Own); i++ {
			known = slices.Contains(s.r.Own[i].Before, id)
		}
		if !known {
			e := &UnknownBroker{ID: id}
			for _, b := range s.c.Brokers {
				e.Known = append(e.Known, b.ID)
			}
			return e
		}
	}
	return nil
}
