package reassign

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"drain/plan"
)

// model is a Kafka cluster in virtual time, for tests under synctest: the
// controller by the rules of 4.4 (ReplicationControlManager, PartitionReassignmentReplicas), and disks that
// copy at the rate that throttles allow. It fills every port.
type model struct {
	brokers  map[int32]*modelBroker
	parts    map[plan.TopicPartition]*modelPart
	topics   map[string]map[string]string // configs
	defaults map[string]string            // cluster-wide default
	link     float64                      // bytes a second of a broker without throttle
	sent     quotas
	last     time.Time

	log     []string                      // every change, in order
	space   map[int32][]plan.LogDir       // what brokers tell of their disks
	fault   func(request string) error    // nil error: go on
	refuse  map[plan.TopicPartition]int16 // answer of the next Alter
	loading map[plan.TopicPartition]time.Time
	secret  bool         // brokers do not tell their rates (2.4)
	strict  bool         // completion waits for every target replica (3.8 to 4.2)
	watch   func()       // called whenever time has passed
	events  []modelEvent // to come
	busy    bool         // time passes already
	longest int          // value of a setting
	largest int          // request

	deleting string // a topic that is queued for deletion

	elections [][]plan.TopicPartition // what each named
}

type modelBroker struct {
	live    bool
	configs map[string]string
}

type modelPart struct {
	id                         [16]byte
	replicas, adding, removing []int32
	isr                        []int32
	leader, epoch              int32
	size, grows                float64
	copied                     map[int32]float64
	never                      []int32 // brokers that never get in sync
	offline                    []int32 // brokers whose log dir is
}

const unlimited = 1e9

func newModel(brokers ...int32) *model {
	m := &model{
		brokers: map[int32]*modelBroker{}, parts: map[plan.TopicPartition]*modelPart{},
		topics: map[string]map[string]string{}, defaults: map[string]string{},
		link: unlimited, sent: quotas{}, last: time.Now(), refuse: map[plan.TopicPartition]int16{},
		loading: map[plan.TopicPartition]time.Time{},
	}
	for _, b := range brokers {
		m.brokers[b] = &modelBroker{live: true, configs: map[string]string{}}
	}
	return m
}

// part adds a partition that is in sync, led by its first replica.
func (m *model) part(topic string, number int32, size float64, replicas ...int32) *modelPart {
	if m.topics[topic] == nil {
		m.topics[topic] = map[string]string{}
	}
	p := &modelPart{
		id: [16]byte{byte(len(m.topics))}, replicas: slices.Clone(replicas), isr: slices.Clone(replicas),
		leader: replicas[0], size: size, copied: map[int32]float64{},
	}
	m.parts[plan.TopicPartition{Topic: topic, Partition: number}] = p
	return p
}

// move is the move that puts to in the place of from.
func (m *model) move(topic string, number int32, from, to, during, leads int32) plan.Move {
	tp := plan.TopicPartition{Topic: topic, Partition: number}
	p := m.parts[tp]
	after := slices.Clone(p.replicas)
	after[slices.Index(after, from)] = to
	return plan.Move{
		TopicPartition: tp, TopicID: p.id, Before: slices.Clone(p.replicas), After: first(after, leads),
		From: []int32{from}, To: []int32{to}, Bytes: int64(p.size), Leader: p.leader,
		LeadsDuring: during, LeadsFirst: leads,
	}
}

func (m *model) note(format string, a ...any) { m.log = append(m.log, fmt.Sprintf(format, a...)) }

// sorted are the partitions in order.
func (m *model) sorted() []plan.TopicPartition {
	return slices.SortedFunc(maps.Keys(m.parts), plan.TopicPartition.Compare)
}

type modelEvent struct {
	at   time.Time
	then func()
}

// step brings the model to now, in slices of 50 ms. It is called with each
// request, so that whatever happens in the cluster does in one goroutine.
func (m *model) step() {
	if m.busy {
		return
	}
	m.busy = true
	defer func() { m.busy = false }()
	const slice = 50 * time.Millisecond
	for now := time.Now(); m.last.Before(now); {
		d := min(slice, now.Sub(m.last))
		m.last = m.last.Add(d)
		m.copy(d.Seconds())
		m.happen()
		m.finishDeletion()
		if m.watch != nil {
			m.watch()
		}
	}
}

func (m *model) happen() {
	for i, e := range m.events {
		if e.then != nil && !m.last.Before(e.at) {
			m.events[i].then = nil
			e.then()
		}
	}
}

type modelCopy struct {
	tp       plan.TopicPartition
	p        *modelPart
	from, to int32
}

// copy shares each throttled lane evenly among its copies, and each broker's
// link among all.
func (m *model) copy(seconds float64) {
	var flows []modelCopy
	users, free := map[string]int{}, map[string]float64{}
	for _, tp := range m.sorted() {
		p := m.parts[tp]
		p.size += p.grows * seconds
		for _, to := range p.adding {
			if !m.isLive(p.leader) || !m.isLive(to) || slices.Contains(p.isr, to) || slices.Contains(p.never, to) || slices.Contains(p.offline, to) {
				continue
			}
			f := modelCopy{tp, p, p.leader, to}
			flows = append(flows, f)
			for _, lane := range m.lanesOf(f) {
				if users[lane]++; users[lane] == 1 {
					free[lane] = m.capacity(lane, seconds)
				}
			}
		}
	}
	for _, f := range flows {
		rate := m.link
		for _, lane := range m.lanesOf(f) {
			rate = min(rate, free[lane]/float64(users[lane]))
		}
		bytes := min(f.p.size-f.p.copied[f.to], rate*seconds)
		f.p.copied[f.to] += bytes
		m.sent.record(f.from, m.last, bytes, m.listed(f.tp, LeaderList, f.from))
		if f.p.copied[f.to] >= f.p.size {
			f.p.isr = append(f.p.isr, f.to)
			m.completeIf(f.tp)
		}
	}
}

// lanesOf names what a copy is limited by.
func (m *model) lanesOf(f modelCopy) []string {
	lanes := []string{fmt.Sprint("link out ", f.from), fmt.Sprint("link in ", f.to)}
	if m.listed(f.tp, LeaderList, f.from) {
		lanes = append(lanes, fmt.Sprint("rate out ", f.from))
	}
	if m.listed(f.tp, FollowerList, f.to) {
		lanes = append(lanes, fmt.Sprint("rate in ", f.to))
	}
	return lanes
}

func (m *model) listed(tp plan.TopicPartition, key string, broker int32) bool {
	list := "," + m.topics[tp.Topic][key] + ","
	return strings.Contains(list, ",*,") || strings.Contains(list, ","+entry(tp.Partition, broker)+",")
}

// capacity is the bytes a second that a lane takes in the next seconds.
func (m *model) capacity(lane string, seconds float64) float64 {
	words := strings.Fields(lane)
	if words[0] == "link" {
		return m.link
	}
	id, _ := strconv.Atoi(words[2])
	key := LeaderRate
	if words[1] == "in" {
		key = FollowerRate
	}
	value, ok := m.brokers[int32(id)].configs[key]
	if !ok {
		value, ok = m.defaults[key]
	}
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case !ok || err != nil:
		return m.link
	case key == LeaderRate:
		return m.sent.left(int32(id), m.last, n) / seconds
	}
	return n
}

func (m *model) isLive(b int32) bool { return m.brokers[b] != nil && m.brokers[b].live }

// kill takes a broker away: out of every ISR that has others, and its leads go.
func (m *model) kill(b int32) {
	m.step()
	m.brokers[b].live = false
	for _, tp := range m.sorted() {
		p := m.parts[tp]
		if len(p.isr) > 1 {
			p.isr = without(p.isr, []int32{b})
		}
		if p.leader == b {
			m.lead(p, p.replicas)
		}
	}
}

// revive brings a broker back, in sync where it was.
func (m *model) revive(b int32) {
	m.step()
	m.brokers[b].live = true
	for _, tp := range m.sorted() {
		p := m.parts[tp]
		if slices.Contains(p.replicas, b) && !slices.Contains(p.adding, b) && !slices.Contains(p.isr, b) {
			p.isr = append(p.isr, b)
			m.completeIf(tp)
		}
		if p.leader == plan.NoLeader {
			m.lead(p, p.replicas)
		}
	}
}

// remove deletes a topic.
func (m *model) remove(topic string) {
	m.step()
	maps.DeleteFunc(m.parts, func(tp plan.TopicPartition, _ *modelPart) bool { return tp.Topic == topic })
	delete(m.topics, topic)
}

func (m *model) try(ctx context.Context, request string) error {
	m.step()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if m.fault == nil {
		return nil
	}
	return m.fault(request)
}

// Sizes is DescribeLogDirs.
func (m *model) Sizes(ctx context.Context, brokers []int32, of []plan.TopicPartition) (map[Replica]int64, error) {
	if err := m.try(ctx, "sizes"); err != nil {
		return nil, err
	}
	sizes := map[Replica]int64{}
	for _, tp := range of {
		p := m.parts[tp]
		for _, b := range brokers {
			switch {
			case p == nil || !m.isLive(b) || !slices.Contains(p.replicas, b) || slices.Contains(p.offline, b):
			case slices.Contains(p.adding, b):
				sizes[Replica{tp, b}] = int64(p.copied[b])
			default:
				sizes[Replica{tp, b}] = int64(p.size)
			}
		}
	}
	return sizes, nil
}

// Space is DescribeLogDirs.
func (m *model) Space(ctx context.Context, brokers []int32) (map[int32][]plan.LogDir, error) {
	if err := m.try(ctx, "space"); err != nil {
		return nil, err
	}
	space := map[int32][]plan.LogDir{}
	for _, b := range brokers {
		if dirs, ok := m.space[b]; ok && m.isLive(b) {
			space[b] = dirs
		}
	}
	return space, nil
}

// Place is AlterReplicaLogDirs.
func (m *model) Place(ctx context.Context, at []Placement) ([]PartitionError, error) {
	for _, p := range at {
		m.note("%v on %d goes to %s", p.TopicPartition, p.Broker, p.Dir)
	}
	return nil, m.try(ctx, "place")
}

// LiveBrokers is Metadata.
func (m *model) LiveBrokers(ctx context.Context) ([]int32, error) {
	if err := m.try(ctx, "brokers"); err != nil {
		return nil, err
	}
	var live []int32
	for _, b := range slices.Sorted(maps.Keys(m.brokers)) {
		if m.brokers[b].live {
			live = append(live, b)
		}
	}
	return live, nil
}

func (m *model) ports() Ports {
	return Ports{Mover: m, Configs: m, Disks: m, Health: m, Coordinators: m}
}
