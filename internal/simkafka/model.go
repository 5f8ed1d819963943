package simkafka

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"drain/election"
	"drain/plan"
)

// model is the cluster as a plain struct: no sockets, no locks, no clock. Its
// time is the duration since the start, and moves in advance alone.
type model struct {
	now    time.Duration
	events []event // by time, then in the order they were made
	epoch  time.Time
	ahead  time.Duration // of the controllers' clock

	id              string
	release         release
	metadataVersion int16
	zk, elr         bool
	static          map[string]string
	defaults        map[string]string
	quorum          Quorum
	headless        time.Duration // no controller acts before this
	timing          Timing
	control         controller

	brokers map[int32]*broker
	topics  map[string]*topic

	copying copying
	asked   int // requests for a controller id, which KRaft answers at random
}

// nobody stands for no broker.
const nobody int32 = -1

// controller is what differs between KRaft and ZooKeeper.
type controller interface {
	// reassign starts a move to target, cancel takes one back.
	reassign(p *partition, target []int32) *refusal
	cancel(p *partition) *refusal
	// setISR is a leader's word on who is in sync; a move that waited for it ends.
	setISR(p *partition, isr []int32)
	// shutDown moves what a broker leads before it stops, left after it is gone,
	// lost when some logs of a live broker are.
	shutDown(b *broker)
	left(b *broker)
	lost(b *broker, of []*partition)
	// back is called once a broker is alive again.
	back(b *broker)
	// elect runs the election a client asked for.
	elect(p *partition, unclean bool) *refusal
}

type broker struct {
	id         int32
	rack, host string
	port       int32
	state      plan.State
	running    bool // its process answers
	restart    bool // to be started once the old session has ended
	unclean    bool // its last stop was no controlled shutdown
	life       int  // counts starts and stops, so that a timer knows its own
	configs    map[string]string
	dirs       []*dir
	named      map[plan.TopicPartition]*dir // by AlterReplicaLogDirs, before the log exists
	logs       map[*partition]*diskLog
	link       float64 // bytes a second, each way
}

type dir struct {
	path         string
	total, other int64
	erasing      int64 // of logs that have left
	offline      bool
	logs         int
}

// diskLog is a copy of a partition on a broker's disk. Those in sync are as
// long as the leader's, whatever bytes says.
type diskLog struct {
	dir      *dir
	bytes    float64
	caughtUp bool // waits to be let into the ISR
	stray    bool // of no replica list
}

type topic struct {
	name       string
	id         [16]byte
	configs    map[string]string
	hidden     bool
	partitions []*partition // by number
	lists      map[string]throttleList
}

// partition is what the controller keeps of one, and its log. The lists are
// replaced, never changed in place: answers hold on to them.
type partition struct {
	topic  *topic
	number int32
	election.Partition
	epoch   int32
	since   time.Duration // the leader leads
	bytes   float64       // of the leader's log
	rate    float64       // written, bytes a second
	stuck   map[int32]bool
	past    []seen // what brokers that lag may still show, oldest first
	blocked blocked
}

func (p *partition) inFlight() bool { return len(p.Adding)+len(p.Removing) > 0 }

func (p *partition) name() plan.TopicPartition {
	return plan.TopicPartition{Topic: p.topic.name, Partition: p.number}
}

func (m *model) sortedBrokers() []*broker {
	return slices.SortedFunc(maps.Values(m.brokers), func(a, b *broker) int { return int(a.id) - int(b.id) })
}

func (m *model) sortedTopics() []*topic {
	return slices.SortedFunc(maps.Values(m.topics), func(a, b *topic) int { return cmp.Compare(a.name, b.name) })
}

// eachPartition calls f in order of topic and number, so that what happens
// never depends on a map.
func (m *model) eachPartition(f func(*partition)) {
	for _, t := range m.sortedTopics() {
		for _, p := range t.partitions {
			f(p)
		}
	}
}

func (m *model) partition(topic string, number int32) *partition {
	t := m.topics[topic]
	if t == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(t.partitions, number, func(p *partition, n int32) int { return int(p.number) - int(n) })
	if !ok {
		return nil
	}
	return t.partitions[i]
}

// active says that the broker can be elected and let into an ISR: registered,
// unfenced, not shutting down (ClusterControlManager.isActive).
func (m *model) active(id int32) bool {
	b := m.brokers[id]
	return b != nil && b.state == plan.Alive
}

// online says that the broker's copy is on a disk that works.
func (m *model) online(p *partition, id int32) bool {
	b := m.brokers[id]
	if b == nil {
		return false
	}
	log := b.logs[p]
	return log == nil || !log.dir.offline
}

// registered says that the controller knows the broker, alive or not.
func (m *model) registered(id int32) bool {
	b := m.brokers[id]
	return b != nil && b.state != plan.Down
}

// rules is which controller decides.
func (m *model) rules() election.Rules {
	r := election.Rules{Release: m.release.Release, ELR: m.elr}
	if m.zk {
		r.Mode = election.ZooKeeper
	}
	return r
}

// ballot is the partition with all that an election asks for.
func (m *model) ballot(p *partition) election.Partition {
	q := p.Partition
	q.MinISR, q.FirstReplicas = m.minISR(p.topic), len(p.topic.partitions[0].Replicas)
	q.Unclean, q.Offline = election.Off, nil
	if m.unclean(p.topic) {
		q.Unclean = election.On
	}
	for _, id := range q.Replicas {
		if !m.online(p, id) {
			q.Offline = append(q.Offline, id)
		}
	}
	return q
}

// minISR is min.insync.replicas as the controller resolves it: not from any
// broker's own settings (ConfigurationControlManager.getTopicConfig).
func (m *model) minISR(t *topic) int {
	for _, layer := range []map[string]string{t.configs, m.defaults, m.static} {
		if n, err := strconv.Atoi(layer["min.insync.replicas"]); err == nil {
			return n
		}
	}
	return 1
}

// unclean says whether the controller may elect a leader that is out of sync.
func (m *model) unclean(t *topic) bool {
	for _, layer := range []map[string]string{t.configs, m.defaults, m.static} {
		if v, ok := layer["unclean.leader.election.enable"]; ok {
			return v == "true"
		}
	}
	return false
}

// without is list without the members of gone, in its order.
func without(list []int32, gone ...int32) []int32 {
	return slices.DeleteFunc(slices.Clone(list), func(id int32) bool { return slices.Contains(gone, id) })
}

// containsAll says that every member of want is in list.
func containsAll(list, want []int32) bool {
	return !slices.ContainsFunc(want, func(id int32) bool { return !slices.Contains(list, id) })
}
