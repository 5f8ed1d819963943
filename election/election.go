// Package election says who leads a partition when given brokers are gone: it
// predicts, without asking anybody, what the controller of an Apache Kafka
// cluster will write. Both controllers are covered, ZooKeeper's (to 3.9) and
// KRaft's, with eligible leader replicas on or off.
//
// A [Partition] goes in, a [Result] comes out: [Crash] for brokers that die at
// once, [Shutdown] for brokers that are stopped in order. The single events of
// which both consist are methods of [Rules]. The package does not know topics,
// brokers or configurations: callers resolve those first. docs/ELECTION.md
// tells the controllers' own steps beside these functions.
package election

import "slices"

// NoLeader is the leader of a partition that has none.
const NoLeader int32 = -1

// Mode is the kind of controller. The zero value is [KRaft].
type Mode uint8

// The two kinds of controller.
const (
	KRaft     Mode = iota // metadata quorum, 2.8 and later
	ZooKeeper             // one broker is the controller, up to 3.9
)

// String is the mode as a snapshot writes it.
func (m Mode) String() string {
	if m == ZooKeeper {
		return "zookeeper"
	}
	return "kraft"
}

// Rules is what decides an election apart from the partition itself. The zero
// value is the newest KRaft controller with ELR off.
type Rules struct {
	Mode    Mode
	Release Release // of the controller's program, not its metadata.version; zero: the newest
	// ELR is whether the finalized feature eligible.leader.replicas.version is
	// at least 1 (KIP-966; 4.0 opt-in, 4.1 default for new clusters).
	ELR bool
}

// Unclean is what unclean.leader.election.enable says for a partition, as far
// as a client can know it. The zero value is [Off].
type Unclean uint8

// The three answers. A KRaft controller reads the flag from its own process,
// so that a broker cannot always tell (KAFKA-12670).
const (
	Off Unclean = iota
	On
	// Unknown is predicted as Off, and Result.UncleanUnknown is set where On
	// would have made a difference.
	Unknown
)

// Partition is one partition as the controller sees it. No function of this
// package changes one that it is given, or the slices in it.
type Partition struct {
	Leader    int32   // broker id, or NoLeader
	Replicas  []int32 // in assignment order, the preferred leader first
	ISR       []int32 // in any order; may hold a broker that is no replica
	ELR       []int32 // eligible leader replicas, empty unless Rules.ELR
	LastKnown []int32 // the last known leader, empty unless Rules.ELR
	Adding    []int32 // of a reassignment in flight, all in Replicas
	Removing  []int32 // of a reassignment in flight, all in Replicas
	Offline   []int32 // replicas whose log dir is offline, on brokers that may well be alive

	MinISR        int // min.insync.replicas as configured; less than 1 counts as 1
	FirstReplicas int // replicas of the topic's partition 0 (see Rules.Leave); 0: len(Replicas)
	Unclean       Unclean
	Recovering    bool // the leader was elected uncleanly and has not caught up (KIP-704)
}

// Offline elects as Kafka does once the leader is gone: the first replica in
// assignment order that is live, in sync and on a healthy log dir, or
// NoLeader. Never unclean.
//
// Source: PartitionChangeBuilder.electAnyLeader, Election.ONLINE (KRaft, ELR
// off); PartitionLeaderElectionAlgorithms.offlinePartitionLeaderElection.
func Offline(p Partition, live func(broker int32) bool) int32 {
	c := candidates{live: live, offline: p.Offline, back: NoLeader}
	for _, r := range p.Replicas {
		if slices.Contains(p.ISR, r) && c.may(r) {
			return r
		}
	}
	return NoLeader
}

// candidates is who may lead at one moment: live, not gone meanwhile, and with
// its copy on a healthy log dir.
//
// Source: ReplicationControlManager.LeaderAcceptor,
// ControllerContext.isReplicaOnline.
type candidates struct {
	live    func(int32) bool
	offline []int32 // replicas on an offline log dir
	gone    []int32 // brokers that left since live was asked
	back    int32   // broker that just came back, whatever live says, or NoLeader
	anybody bool    // an operator asked for an unclean election
}

func (c candidates) may(broker int32) bool {
	if broker < 0 || slices.Contains(c.gone, broker) || slices.Contains(c.offline, broker) {
		return false
	}
	return broker == c.back || c.live(broker)
}

// ElectUnclean is p after an operator asked for an unclean election, which
// heeds no flag and changes nothing where there is a leader.
//
// Source: ReplicationControlManager.electLeader,
// KafkaController.processReplicaLeaderElection.
func (r Rules) ElectUnclean(p Partition, live func(int32) bool) Partition {
	c := candidates{live: live, offline: p.Offline, back: NoLeader, anybody: true}
	// A leader on a failed log dir counts as one here, if its broker lives.
	if r.Mode == ZooKeeper && (p.Leader == NoLeader || !live(p.Leader)) {
		p, _ = r.online(p, c)
	} else if r.Mode == KRaft && p.Leader == NoLeader {
		p, _ = r.rebuild(p, c, p.ISR, NoLeader)
	}
	return p
}

// uncleanOn is whether the controller elects out of the ISR by itself. KRaft
// controllers before 3.9 do not read the flag (KAFKA-12670).
func (r Rules) uncleanOn(p Partition) bool { return p.Unclean == On && r.readsUnclean() }

func (r Rules) readsUnclean() bool { return r.Mode == ZooKeeper || r.Release.AtLeast(3, 9) }

// without is ids less those in drop, in a new slice unless nothing is dropped.
func without(ids []int32, drop ...int32) []int32 {
	if !overlaps(ids, drop) {
		return ids
	}
	kept := make([]int32, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(drop, id) {
			kept = append(kept, id)
		}
	}
	return kept
}

func overlaps(a, b []int32) bool {
	return slices.ContainsFunc(a, func(id int32) bool { return slices.Contains(b, id) })
}

func containsAll(set, ids []int32) bool {
	return !slices.ContainsFunc(ids, func(id int32) bool { return !slices.Contains(set, id) })
}
