package plan

import (
	"slices"
	"strconv"
	"time"
)

// ControllerMode is the kind of controller.
type ControllerMode uint8

// The controllers there are. ZooKeeper ended with 3.9.
const (
	KRaft ControllerMode = iota
	ZooKeeper
)

// Tristate is a setting that may be unknown.
type Tristate uint8

// The values of a Tristate.
const (
	Off Tristate = iota
	On
	Maybe // nobody could tell
)

// Cluster is one consistent picture of a Kafka cluster. Brokers are sorted by
// ID, Topics by name, the partitions of a topic by number. It is built by a
// [Builder] and not changed afterwards, so many may read it at once.
type Cluster struct {
	ID           string
	TakenAt      time.Time // zero if unknown
	Mode         ControllerMode
	ControllerID int32  // -1 if unknown; in KRaft a random live broker
	Release      string // such as "4.3"; empty if unknown
	// Releases are the releases that the controllers may run, one for each set
	// of election rules, where the answers of a cluster allow several: what is
	// predicted is the worst over them. Empty: Release alone.
	Releases        []string
	MetadataVersion int  // finalized metadata.version level; 0 if unknown
	ELR             bool // eligible.leader.replicas.version >= 1 (KIP-966)
	MinISRDefault   int  // min.insync.replicas of a topic without its own; at least 1
	UncleanDefault  Tristate
	Throttle        Throttle // the default of all brokers
	Quorum          *Quorum  // nil if unknown or ZooKeeper
	Brokers         []Broker
	Topics          []Topic

	// Notes are the partial failures met while the picture was taken (a broker
	// that did not answer, a topic that could not be described): findings, so
	// that nothing missing is mistaken for nothing there.
	Notes []Finding

	// Heard are the nodes, brokers too, that fetch the log of metadata, sorted
	// by ID. One that is down stays for five minutes
	// (LeaderState.OBSERVER_SESSION_TIMEOUT_MS). Empty if unknown or ZooKeeper.
	Heard []Heard

	// ClockAhead is how far the clock of the leading KRaft controller was ahead
	// of the one of the host that took the picture, or behind if negative, as far
	// as the round trip tells: 0 within it, and if unknown or ZooKeeper. A saved
	// picture does not hold it.
	ClockAhead time.Duration

	partitions partitions
}

// Quorum is the KRaft controller quorum (DescribeQuorum).
type Quorum struct {
	LeaderID int32
	Voters   []Voter
	Lagging  []int32 // voters that are not caught up
}

// Heard is when the leading KRaft controller last heard of a node.
type Heard struct {
	ID int32
	At time.Time
}

// Voter is a member of the quorum. Host is empty where the answer has none
// (DescribeQuorum before v2).
type Voter struct {
	ID   int32
	Host string
}

// Topic is a topic and the range of its partitions: those with index First to
// First+Count-1 in Cluster.Partition.
type Topic struct {
	Name         string
	ID           [16]byte          // zero if unknown (before 2.8)
	Configs      map[string]string // overrides only; nil if none. Not to be changed
	First, Count int
}

// IsInternal says that a coordinator runs on the leader of each partition of the
// topic, and loads it before it serves groups or transactions (Topic.INTERNAL_TOPICS).
func IsInternal(topic string) bool {
	return topic == "__consumer_offsets" || topic == "__share_group_state" || topic == "__transaction_state"
}

// PartitionView is one partition of a Cluster. Its slices are views into the
// Cluster and must not be changed.
type PartitionView struct {
	Topic       int   // index into Cluster.Topics
	Number      int32 // numbers may have gaps
	Leader      int32 // or NoLeader
	LeaderEpoch int32 // -1 if unknown

	Replicas     []int32 // in assignment order, the preferred leader first
	ISR          []int32 // in any order; may hold a broker that is no replica
	ELR          []int32
	LastKnownELR []int32
	Adding       []int32 // of a reassignment in flight
	Removing     []int32
	Offline      []int32 // replicas whose log dir is offline

	SizeBytes int64 // the leader's log, or Unknown
}

// InFlight says that a reassignment of the partition is under way.
func (p PartitionView) InFlight() bool { return len(p.Adding)+len(p.Removing) > 0 }

// Holds says that broker is in the replica list, adding and removing included.
func (p PartitionView) Holds(broker int32) bool { return slices.Contains(p.Replicas, broker) }

// InSync is the number of replicas that are in sync and whose log dir is not offline.
func (p PartitionView) InSync() int {
	n := 0
	for _, r := range p.Replicas {
		if slices.Contains(p.ISR, r) && !slices.Contains(p.Offline, r) {
			n++
		}
	}
	return n
}

// TopicPartition names a partition.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// String is Kafka's own spelling, such as orders-3.
func (tp TopicPartition) String() string {
	return tp.Topic + "-" + strconv.Itoa(int(tp.Partition))
}

// Compare orders by topic, then partition.
func (tp TopicPartition) Compare(other TopicPartition) int {
	if tp.Topic != other.Topic {
		if tp.Topic < other.Topic {
			return -1
		}
		return 1
	}
	return int(tp.Partition) - int(other.Partition)
}

// NumPartitions is the number of partitions of all topics.
func (c *Cluster) NumPartitions() int { return len(c.partitions.number) }

// Partition is the partition with index i, 0 <= i < NumPartitions. Indexes go
// by topic name, then partition number. It does not allocate.
func (c *Cluster) Partition(i int) PartitionView { return c.partitions.view(i) }

// Name is the name of the partition with index i.
func (c *Cluster) Name(i int) TopicPartition {
	return TopicPartition{c.Topics[c.partitions.topic[i]].Name, c.partitions.number[i]}
}

// Find returns the index of a partition, and whether the cluster has it.
func (c *Cluster) Find(tp TopicPartition) (int, bool) {
	t, ok := c.Topic(tp.Topic)
	if !ok {
		return 0, false
	}
	first, end := c.Topics[t].First, c.Topics[t].First+c.Topics[t].Count
	i, ok := slices.BinarySearch(c.partitions.number[first:end], tp.Partition)
	return first + i, ok
}

// Topic returns the index of the topic of that name.
func (c *Cluster) Topic(name string) (int, bool) {
	return slices.BinarySearchFunc(c.Topics, name, func(t Topic, name string) int {
		switch {
		case t.Name < name:
			return -1
		case t.Name > name:
			return 1
		}
		return 0
	})
}

// Broker returns the broker with that ID, and whether the cluster knows it. A
// broker that is only in replica lists is not known.
func (c *Cluster) Broker(id int32) (Broker, bool) {
	i, ok := slices.BinarySearchFunc(c.Brokers, id, func(b Broker, id int32) int { return int(b.ID) - int(id) })
	if !ok {
		return Broker{ID: id, State: Down, CapacityBytes: Unknown, UsableBytes: Unknown}, false
	}
	return c.Brokers[i], true
}

// Live says that the broker is known and live.
func (c *Cluster) Live(id int32) bool {
	b, ok := c.Broker(id)
	return ok && b.Live()
}

// MinISR is the min.insync.replicas of a topic: its own, else the default.
// A value that is no number counts as the default.
func (c *Cluster) MinISR(topic int) int {
	if v, ok := c.Topics[topic].Configs["min.insync.replicas"]; ok {
		if n, err := strconv.Atoi(v); err == nil && n >= 1 {
			return n
		}
	}
	return max(1, c.MinISRDefault)
}

// UnderMinISR says that fewer replicas of the partition with index i are in sync than
// its topic's min.insync.replicas, or than it has without those being added if
// that is less: from 3.7 on (KAFKA-15583) that is Kafka's own rule, and before it
// such a partition was never writable.
func (c *Cluster) UnderMinISR(i int) bool {
	p := c.Partition(i)
	return p.InSync() < min(c.MinISR(p.Topic), len(p.Replicas)-len(p.Adding))
}

// Unclean is the unclean.leader.election.enable of a topic: its own, else the
// default, which may be unknown.
func (c *Cluster) Unclean(topic int) Tristate {
	switch c.Topics[topic].Configs["unclean.leader.election.enable"] {
	case "true":
		return On
	case "false":
		return Off
	}
	return c.UncleanDefault
}
