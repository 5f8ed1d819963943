package simkafka

import (
	"time"

	"drain/plan"
)

// Spec is a cluster to simulate, and the form in which [Cluster.State] tells
// what has become of it. The zero values are those of a plain KRaft cluster.
type Spec struct {
	ID              string // empty: a random one at each start
	ZooKeeper       bool   // the controller of 3.9 and before
	Release         string // such as "3.9" or "4.3.2"; empty is the newest known
	MetadataVersion int16  // 0: the newest of the release
	ELR             bool   // eligible.leader.replicas.version 1 (KIP-966)

	// Static is the server.properties of every node, Defaults the dynamic
	// cluster default.
	Static, Defaults map[string]string

	Quorum  Quorum
	Brokers []Broker
	Topics  []Topic

	Timing Timing
}

// Timing is how long things take. A zero field is its default.
type Timing struct {
	Settle   time.Duration // from caught up to in sync: 100ms
	Shutdown time.Duration // a controlled shutdown, from its begin to the fence: 300ms
	Boot     time.Duration // from start to unfenced: 500ms
	// Lag is how far the metadata that brokers show is behind the controller's,
	// which alone knows what is in flight: 0, none.
	Lag   time.Duration
	Load  time.Duration // of an internal topic's partition by its new coordinator: 200ms
	Erase time.Duration // from a log's leaving a broker to its bytes being free: 1m
}

// Broker is a broker of a Spec.
type Broker struct {
	ID      int32
	Rack    string // empty: none
	Host    string // advertised; empty: the address it really listens on
	Port    int32  // advertised along with Host
	State   plan.State
	Configs map[string]string // dynamic, of this broker
	Dirs    []Dir             // none: one of 1 TiB
	// BytesPerSec is what its link carries in each direction; 0 is 1 GB/s.
	BytesPerSec int64
}

// Dir is a log dir. Kafka's logs fill it beside Other bytes of somebody else;
// where Usable is given, Other is worked out so that so much is free at first.
type Dir struct {
	Path                 string
	Bytes, Other, Usable int64
	Offline              bool
}

// Topic is a topic of a Spec.
type Topic struct {
	Name       string
	ID         [16]byte          // zero: a random one
	Configs    map[string]string // overrides
	Hidden     bool              // the login may not describe it
	Partitions []Partition
}

// Partition is a partition of a Spec.
type Partition struct {
	Number   int32   // all zero in a topic: numbered in their order
	Replicas []int32 // in assignment order, removing ones last
	ISR      []int32 // nil: all replicas whose broker is alive
	Leader   *int32  // nil: the first replica in sync

	LeaderEpoch       int32
	Adding, Removing  []int32
	ELR, LastKnownELR []int32

	Bytes       int64 // of the leader's log
	BytesPerSec int64 // written meanwhile
	// Stuck replicas are alive and never catch up.
	Stuck []int32
}

// Quorum is the controller quorum; empty in a ZooKeeper cluster. Without
// voters there are three of their own, 3000 to 3002.
type Quorum struct {
	LeaderID int32 // 0: the first voter
	Voters   []Voter
}

// Voter is a controller. One with the ID of a broker is a combined node: it is
// gone while that broker is.
type Voter struct {
	ID      int32
	Host    string
	Port    uint16
	Down    bool
	Lagging bool // alive, and behind
}
