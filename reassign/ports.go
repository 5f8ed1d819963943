package reassign

import (
	"context"

	"drain/plan"
)

// Mover starts, cancels and lists reassignments. Every answer is fresh: none
// comes from a cache.
type Mover interface {
	// Alter submits target lists, in one request; a nil list cancels. It never
	// changes the replication factor where the broker can forbid it (KIP-860).
	// The partitions that were refused are returned, sorted; err is for the
	// request as a whole, whose outcome is then unknown.
	Alter(ctx context.Context, targets []Target) (refused []PartitionError, err error)
	// InFlight lists every reassignment of the cluster, sorted.
	InFlight(ctx context.Context) ([]InFlight, error)
	// Partitions reads the state of the partitions named, sorted. Ask it after
	// InFlight, never before: an older list may still show replicas that left.
	Partitions(ctx context.Context, of []plan.TopicPartition) ([]PartitionState, error)
	// Elect runs a preferred leader election (ElectLeaders, type 0) for the
	// partitions named. With none it does nothing: Kafka would take every one.
	// "Not needed" (84) is no failure.
	Elect(ctx context.Context, of []plan.TopicPartition) (failed []PartitionError, err error)
}

// Configs reads and changes dynamic settings.
type Configs interface {
	// Configs reads the settings of each resource, at least those of [Keys],
	// from the broker that holds the truth. A resource that could not be read
	// carries its error.
	Configs(ctx context.Context, of []Resource) ([]ResourceConfig, error)
	// AlterConfigs changes settings (IncrementalAlterConfigs), each resource in
	// one request. The changes that were refused are returned.
	AlterConfigs(ctx context.Context, changes []Change) (refused []ChangeError, err error)
}

// Disks reads the sizes of logs and names log dirs beforehand.
type Disks interface {
	// Sizes reads the size of each log of the partitions named on the brokers
	// named (DescribeLogDirs). What a broker that did not answer holds is
	// absent.
	Sizes(ctx context.Context, brokers []int32, of []plan.TopicPartition) (map[Replica]int64, error)
	// Space reads the log dirs of the brokers named: size and free bytes, which
	// are plan.Unknown where the broker does not tell. What a broker that did not
	// answer has is absent.
	Space(ctx context.Context, brokers []int32) (map[int32][]plan.LogDir, error)
	// Place names the log dir that a replica will go to, before it exists
	// (AlterReplicaLogDirs; REPLICA_NOT_AVAILABLE is the expected answer).
	Place(ctx context.Context, at []Placement) (refused []PartitionError, err error)
}

// Health is what the circuit breaker looks at.
type Health interface {
	// LiveBrokers lists the brokers in Metadata, sorted, uncached.
	LiveBrokers(ctx context.Context) ([]int32, error)
}

// Coordinators tells whether the coordinators on internal topics answer.
type Coordinators interface {
	// Loading returns those of the partitions, all of internal topics, whose
	// coordinator does not answer yet (COORDINATOR_LOAD_IN_PROGRESS,
	// COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR), sorted.
	Loading(ctx context.Context, of []plan.TopicPartition) ([]plan.TopicPartition, error)
}

// Probe asks one broker something small: how long it takes measures its request
// queue.
type Probe interface {
	BrokersSeenBy(ctx context.Context, via int32) ([]int32, error)
}

// Watch takes a picture of the whole cluster, for the circuit breaker.
type Watch interface {
	Look(ctx context.Context) (plan.Cluster, error)
}

// Ports is all that a [Driver] talks to.
type Ports struct {
	Mover        Mover
	Configs      Configs
	Disks        Disks
	Health       Health
	Coordinators Coordinators // nil: internal topics are paced by the polls alone
	Watch        Watch        // nil: the circuit breaker sees only who left
	Probe        Probe        // nil: an adaptive throttle does not measure requests
}

// Ledger is the journal as the driver needs it. Each method returns once the
// record is durable; an error means that the act it announces must not be done.
type Ledger interface {
	Owe(debts ...Debt) error               // before the settings are changed
	Paid(debts ...Debt) error              // once read back
	Submit(of []plan.TopicPartition) error // before the reassignments are requested
	Moved(of []plan.TopicPartition) error  // once they are verified complete
}

// Target is a replica list to be reached; the first is the preferred leader.
// Nil Replicas cancel.
type Target struct {
	plan.TopicPartition
	Replicas []int32
}

// InFlight is one reassignment under way. Replicas is the full list: target,
// then those leaving.
type InFlight struct {
	plan.TopicPartition
	Replicas, Adding, Removing []int32
}

// PartitionState is a partition as one broker's metadata shows it.
type PartitionState struct {
	plan.TopicPartition
	TopicID     [16]byte
	Gone        bool // the topic or partition is not there (any more)
	Leader      int32
	LeaderEpoch int32
	Replicas    []int32
	ISR         []int32
	Offline     []int32
}

// Replica is one copy of a partition.
type Replica struct {
	plan.TopicPartition
	Broker int32
}

// Placement names the log dir of a replica.
type Placement struct {
	Replica
	Dir string
}

// PartitionError is Kafka's refusal of one partition.
type PartitionError struct {
	plan.TopicPartition
	Code    int16  // Kafka's error code
	Name    string // such as INVALID_REPLICA_ASSIGNMENT
	Message string // the broker's words; may be empty
}

// Error names the partition, the error and the broker's words.
func (e PartitionError) Error() string {
	s := e.TopicPartition.String() + ": " + e.Name
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}
