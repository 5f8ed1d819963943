package reassign

import (
	"context"
	"time"

	"drain/plan"
)

// Options say how a [Driver] moves. The zero value moves without a throttle.
type Options struct {
	BytesPerSec int64 // throttle of each broker, sent and received; 0: none

	// Adaptive lets the throttle of each lane find its own level: never over
	// BytesPerSec, lower where others suffer.
	Adaptive bool

	MaxInFlight          int // most moves in flight in the cluster; 0: 1,000
	MaxInFlightPerBroker int // most moves in flight into, and out of, a broker; 0: 64

	Poll       time.Duration // how often to look; 0: 1s
	StallAfter time.Duration // how long without progress is a stall; 0: 10m

	// DiskHeadroom is the part of each disk that is left free, 0 to under 1.
	DiskHeadroom float64

	// WaitForForeign is how long a move may wait for a reassignment of somebody
	// else that has its partition; 0: not at all.
	WaitForForeign time.Duration

	// AcceptForeignThrottle puts our rate where an operator's lower one stands.
	// Otherwise the lower of the two is used.
	AcceptForeignThrottle bool

	// ForgetHiddenThrottle puts our rate where one of somebody else stands that
	// the broker does not tell. It is deleted after the moves, since it cannot be
	// given back. Otherwise moves that need it wait.
	ForgetHiddenThrottle bool

	ZooKeeper bool // requests are kept small (200 partitions)

	// Own are moves that were planned before this Driver was made. Those of
	// them that are in flight are ours.
	Own []plan.Move

	// Start is the cluster before the run, against which the circuit breaker
	// judges; nil: as it is at the first look.
	Start *Start

	// Replan finds other destinations for moves whose destination failed. The
	// plan it returns takes their place. Nil: such a move is a stall.
	Replan func(ctx context.Context, moves []plan.Move) (plan.Plan, error)
}

// The limits of the scheduler.
const (
	minInFlight     = 2                // of a broker: one alone idles through each poll
	lowInFlight     = 2                // of a broker, when the rate is low
	defaultPort     = 64               // most in flight of a broker
	defaultCluster  = 1000             // most in flight of the cluster
	window          = 10 * time.Second // of bytes, at the rate of the broker
	chunk           = 1000             // partitions in one request
	chunkZooKeeper  = 200              // each rewrites its topic's whole znode
	batchElections  = 50               // leaderships that change at once
	batchInternal   = 2                // leaderships of internal topics that change at once
	flightsInternal = 5                // moves of internal topics in flight
)

func (o Options) withDefaults() Options {
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = defaultCluster
	}
	if o.MaxInFlightPerBroker <= 0 {
		o.MaxInFlightPerBroker = defaultPort
	}
	if o.Poll <= 0 {
		o.Poll = time.Second
	}
	if o.StallAfter <= 0 {
		o.StallAfter = 10 * time.Minute
	}
	return o
}

func (o Options) chunk() int {
	if o.ZooKeeper {
		return chunkZooKeeper
	}
	return chunk
}
