package reassign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drain/plan"
)

// model is a Kafka cluster in virtual time, for tests under synctest: the
// controller by the rules of 4.4 (kafka-semantics.md 2 to 3), and disks that
// copy at the rate that throttles allow. It fills every port.
type model struct {
	brokers  map[int32]*modelBroker
	parts    map[plan.TopicPartition]*modelPart
	topics   map[string]map[string]string // configs
	defaults map[string]string            // cluster-wide default
	link     float64                      // bytes a second of a broker without throttle
	last     time.Time

	log     []string                      // every change, in order
	fault   func(request string) error    // nil error: go on
	refuse  map[plan.TopicPartition]int16 // answer of the next Alter
	loading map[plan.TopicPartition]time.Time
	strict  bool         // completion waits for every target replica (3.8 to 4.2)
	watch   func()       // called whenever time has passed
	events  []modelEvent // to come
	busy    bool         // time passes already
	longest int          // value of a setting
	largest int          // request

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
}

const unlimited = 1e9

func newModel(brokers ...int32) *model {
	m := &model{
		brokers: map[int32]*modelBroker{}, parts: map[plan.TopicPartition]*modelPart{},
		topics: map[string]map[string]string{}, defaults: map[string]string{},
		link: unlimited, last: time.Now(), refuse: map[plan.TopicPartition]int16{},
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
	users := map[string]int{}
	for _, tp := range m.sorted() {
		p := m.parts[tp]
		p.size += p.grows * seconds
		for _, to := range p.adding {
			if !m.isLive(p.leader) || !m.isLive(to) || slices.Contains(p.isr, to) || slices.Contains(p.never, to) {
				continue
			}
			f := modelCopy{tp, p, p.leader, to}
			flows = append(flows, f)
			for _, lane := range m.lanesOf(f) {
				users[lane]++
			}
		}
	}
	for _, f := range flows {
		rate := m.link
		for _, lane := range m.lanesOf(f) {
			rate = min(rate, m.capacity(lane)/float64(users[lane]))
		}
		f.p.copied[f.to] = min(f.p.size, f.p.copied[f.to]+rate*seconds)
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

func (m *model) capacity(lane string) float64 {
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
	if n, err := strconv.ParseFloat(value, 64); ok && err == nil {
		return n
	}
	return m.link
}

func (m *model) isLive(b int32) bool { return m.brokers[b] != nil && m.brokers[b].live }

// completeIf ends the reassignment by the rule of 4.3 and later: every adding
// replica is in the ISR without those that leave. Strict is 3.8 to 4.2, where
// every replica of the target must be.
func (m *model) completeIf(tp plan.TopicPartition) {
	p := m.parts[tp]
	isr := without(p.isr, p.removing)
	if len(p.adding)+len(p.removing) == 0 || !subset(p.adding, isr) || len(isr) == 0 {
		return
	}
	if m.strict && !subset(without(p.replicas, p.removing), isr) {
		return
	}
	p.replicas, p.isr = without(p.replicas, p.removing), isr
	for _, b := range p.removing {
		delete(p.copied, b)
	}
	if len(p.removing) > 0 {
		p.epoch++
	}
	p.adding, p.removing = nil, nil
	if !slices.Contains(p.replicas, p.leader) {
		m.lead(p, p.replicas)
	}
	m.note("%v is at %v", tp, p.replicas)
}

func (m *model) lead(p *modelPart, order []int32) {
	p.leader = plan.NoLeader
	for _, b := range order {
		if m.isLive(b) && slices.Contains(p.isr, b) {
			p.leader = b
			break
		}
	}
	p.epoch++
}

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

// Alter is AlterPartitionReassignments.
func (m *model) Alter(ctx context.Context, targets []Target) ([]PartitionError, error) {
	if err := m.try(ctx, "alter"); err != nil {
		return nil, err
	}
	m.largest = max(m.largest, len(targets))
	var refused []PartitionError
	for _, t := range targets {
		if e := m.alter(t); e != nil {
			refused = append(refused, *e)
		}
	}
	return refused, m.answer("alter")
}

// answer lets a fault swallow the answer of a request that was carried out.
func (m *model) answer(request string) error {
	if m.fault == nil {
		return nil
	}
	return m.fault(request + " answer")
}

func (m *model) alter(t Target) *PartitionError {
	p := m.parts[t.TopicPartition]
	refuse := func(code int16, name string) *PartitionError {
		return &PartitionError{TopicPartition: t.TopicPartition, Code: code, Name: name}
	}
	code, refused := m.refuse[t.TopicPartition]
	switch {
	case p == nil:
		return refuse(codeUnknownTopic, "UNKNOWN_TOPIC_OR_PARTITION")
	case refused:
		return refuse(code, "CODE_"+strconv.Itoa(int(code)))
	case t.Replicas == nil && len(p.adding)+len(p.removing) == 0:
		return refuse(codeNothingInFlight, "NO_REASSIGNMENT_IN_PROGRESS")
	case t.Replicas == nil:
		m.cancel(t.TopicPartition, p)
		return nil
	}
	for _, b := range t.Replicas {
		if m.brokers[b] == nil || m.brokers[b].configs[CordonedDirs] != "" { // cordoned: 4.3.2 and later
			return refuse(codeInvalidAssignment, "INVALID_REPLICA_ASSIGNMENT")
		}
	}
	if len(t.Replicas) != len(p.replicas)-len(p.adding) {
		return refuse(38, "INVALID_REPLICATION_FACTOR")
	}
	m.target(t, p)
	return nil
}

// target computes as KRaft does, from the full list, also over one in flight.
func (m *model) target(t Target, p *modelPart) {
	adding, removing := without(t.Replicas, p.replicas), without(p.replicas, t.Replicas)
	full := slices.Concat(t.Replicas, removing)
	if slices.Equal(full, p.replicas) {
		return
	}
	m.note("%v to %v", t.TopicPartition, t.Replicas)
	slices.Sort(removing)
	p.replicas = slices.Concat(t.Replicas, removing)
	if len(adding) > 0 {
		p.adding = adding
	}
	if len(removing) > 0 {
		p.removing = removing
	}
	for _, b := range adding {
		p.copied[b] = 0
	}
	m.completeIf(t.TopicPartition)
}

func (m *model) cancel(tp plan.TopicPartition, p *modelPart) {
	m.note("%v cancelled", tp)
	p.replicas, p.isr = without(p.replicas, p.adding), without(p.isr, p.adding)
	for _, b := range p.adding {
		delete(p.copied, b)
	}
	p.adding, p.removing = nil, nil
	if !slices.Contains(p.replicas, p.leader) {
		m.lead(p, p.replicas)
	}
}

// InFlight is ListPartitionReassignments of all topics.
func (m *model) InFlight(ctx context.Context) ([]InFlight, error) {
	if err := m.try(ctx, "list"); err != nil {
		return nil, err
	}
	var all []InFlight
	for _, tp := range m.sorted() {
		if p := m.parts[tp]; len(p.adding)+len(p.removing) > 0 {
			all = append(all, InFlight{tp, slices.Clone(p.replicas), slices.Clone(p.adding), slices.Clone(p.removing)})
		}
	}
	return all, nil
}

// Partitions is Metadata.
func (m *model) Partitions(ctx context.Context, of []plan.TopicPartition) ([]PartitionState, error) {
	if err := m.try(ctx, "metadata"); err != nil {
		return nil, err
	}
	var all []PartitionState
	for _, tp := range of {
		p := m.parts[tp]
		if p == nil {
			all = append(all, PartitionState{TopicPartition: tp, Gone: true, Leader: plan.NoLeader})
			continue
		}
		all = append(all, PartitionState{
			TopicPartition: tp, TopicID: p.id, Leader: p.leader, LeaderEpoch: p.epoch,
			Replicas: slices.Clone(p.replicas), ISR: slices.Clone(p.isr),
		})
	}
	return all, nil
}

// Elect is ElectLeaders, PREFERRED. As in Kafka, no partitions means all: a
// driver that asks for none is broken.
func (m *model) Elect(ctx context.Context, of []plan.TopicPartition) ([]PartitionError, error) {
	if err := m.try(ctx, "elect"); err != nil {
		return nil, err
	}
	if len(of) == 0 {
		panic("an election of every partition")
	}
	m.elections = append(m.elections, of)
	var failed []PartitionError
	for _, tp := range of {
		p := m.parts[tp]
		switch {
		case p == nil:
			failed = append(failed, PartitionError{TopicPartition: tp, Code: codeUnknownTopic, Name: "UNKNOWN_TOPIC_OR_PARTITION"})
		case p.leader == p.replicas[0]: // not needed
		case !slices.Contains(p.isr, p.replicas[0]) || !m.isLive(p.replicas[0]):
			failed = append(failed, PartitionError{TopicPartition: tp, Code: 80, Name: "PREFERRED_LEADER_NOT_AVAILABLE"})
		default:
			p.leader = p.replicas[0]
			p.epoch++
			m.loading[tp] = time.Now().Add(2 * time.Second)
			m.note("%v led by %d", tp, p.leader)
		}
	}
	return failed, nil
}

// Configs is DescribeConfigs with synonyms.
func (m *model) Configs(ctx context.Context, of []Resource) ([]ResourceConfig, error) {
	if err := m.try(ctx, "configs"); err != nil {
		return nil, err
	}
	var all []ResourceConfig
	for _, r := range of {
		all = append(all, m.config(r))
	}
	return all, nil
}

func (m *model) config(r Resource) ResourceConfig {
	c := ResourceConfig{Resource: r}
	own, layer := m.owner(r), DynamicTopic
	if r.Kind == BrokerResource {
		layer = DynamicBroker
	}
	if own == nil {
		c.Err = fmt.Errorf("%s: %w", r.Name, ErrGone)
		if r.Kind == BrokerResource {
			c.Err = errors.New("unknown broker")
		}
		return c
	}
	for _, k := range slices.Sorted(maps.Keys(own)) {
		c.Entries = append(c.Entries, Entry{k, own[k], layer})
	}
	for _, k := range slices.Sorted(maps.Keys(m.defaults)) {
		c.Entries = append(c.Entries, Entry{k, m.defaults[k], DynamicDefault})
	}
	return c
}

func (m *model) owner(r Resource) map[string]string {
	if r.Kind == TopicResource {
		return m.topics[r.Name]
	}
	if b := m.brokers[r.broker()]; b != nil && b.live {
		return b.configs
	}
	return nil
}

// AlterConfigs is IncrementalAlterConfigs.
func (m *model) AlterConfigs(ctx context.Context, changes []Change) ([]ChangeError, error) {
	if err := m.try(ctx, "alter configs"); err != nil {
		return nil, err
	}
	seen := map[setting]bool{}
	var refused []ChangeError
	for _, c := range changes {
		k := setting{c.Resource, c.Key}
		own := m.owner(c.Resource)
		switch {
		case seen[k]:
			refused = append(refused, ChangeError{Change: c, Code: 42, Kafka: "INVALID_REQUEST"})
			continue
		case own == nil && c.Kind == BrokerResource:
			return nil, fmt.Errorf("broker %s does not answer", c.Name)
		case own == nil:
			refused = append(refused, ChangeError{Change: c, Code: codeUnknownTopic, Kafka: "UNKNOWN_TOPIC_OR_PARTITION"})
			continue
		}
		seen[k] = true
		if e := m.alterConfig(own, c); e != nil {
			refused = append(refused, *e)
		}
	}
	return refused, m.answer("alter configs")
}

func (m *model) alterConfig(own map[string]string, c Change) *ChangeError {
	value := c.Value
	switch c.Op {
	case Delete:
		m.note("delete %s %s %s", c.Kind, c.Name, c.Key)
		delete(own, c.Key)
		return nil
	case Append:
		value = join(union(parseList(own[c.Key]), parseList(c.Value)))
	case Subtract:
		value = join(without(parseList(own[c.Key]), parseList(c.Value)))
	}
	if list := parseList(value); len(value) > longest || len(list) > 1 && slices.Contains(list, "*") {
		return &ChangeError{Change: c, Code: 40, Kafka: "INVALID_CONFIG"}
	}
	m.note("set %s %s %s to %q", c.Kind, c.Name, c.Key, value)
	m.longest = max(m.longest, len(value))
	own[c.Key] = value
	return nil
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
			case p == nil || !m.isLive(b) || !slices.Contains(p.replicas, b):
			case slices.Contains(p.adding, b):
				sizes[Replica{tp, b}] = int64(p.copied[b])
			default:
				sizes[Replica{tp, b}] = int64(p.size)
			}
		}
	}
	return sizes, nil
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

// Loading is a request to the coordinator.
func (m *model) Loading(ctx context.Context, of []plan.TopicPartition) ([]plan.TopicPartition, error) {
	if err := m.try(ctx, "coordinators"); err != nil {
		return nil, err
	}
	var loading []plan.TopicPartition
	for _, tp := range of {
		if time.Now().Before(m.loading[tp]) {
			loading = append(loading, tp)
		}
	}
	return loading, nil
}

// settings is every dynamic setting there is, for comparing before and after.
func (m *model) settings() map[string]string {
	all := map[string]string{}
	for b, broker := range m.brokers {
		for k, v := range broker.configs {
			all[fmt.Sprint("broker ", b, " ", k)] = v
		}
	}
	for t, configs := range m.topics {
		for k, v := range configs {
			all["topic "+t+" "+k] = v
		}
	}
	for k, v := range m.defaults {
		all["default "+k] = v
	}
	return all
}

func (m *model) ports() Ports {
	return Ports{Mover: m, Configs: m, Disks: m, Health: m, Coordinators: m}
}

// memory is a ledger in memory, that can be made to fail or to kill the run.
type memory struct {
	book    Book
	records []string
	crash   func(record int) error // called after each record
}

func (l *memory) add(format string, a ...any) error {
	l.records = append(l.records, fmt.Sprintf(format, a...))
	if l.crash != nil {
		return l.crash(len(l.records))
	}
	return nil
}

func (l *memory) Owe(d Debt) error {
	l.book.Owe(d)
	return l.add("owe %v", d)
}

func (l *memory) Paid(d Debt) error {
	l.book.Paid(d)
	return l.add("paid %v", d)
}

func (l *memory) Submit(of []plan.TopicPartition) error { return l.add("submit %v", of) }
func (l *memory) Moved(of []plan.TopicPartition) error  { return l.add("moved %v", of) }

// logging reports events as test output.
func logging(t *testing.T) func(Event) {
	start := time.Now()
	return func(e Event) {
		if e.Kind != Progressed {
			t.Logf("%8v %-10s %s", time.Since(start).Round(time.Millisecond), e.Kind, e.Text)
		}
	}
}
