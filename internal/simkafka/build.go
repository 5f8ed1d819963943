package simkafka

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"time"

	"drain/election"
	"drain/plan"
)

// newModel is the cluster that a Spec describes, at time zero.
func newModel(s Spec) (*model, error) {
	r, err := parseRelease(s.Release)
	if err != nil {
		return nil, err
	}
	m := &model{
		epoch: time.Now(), id: s.ID, release: r, metadataVersion: s.MetadataVersion,
		zk: s.ZooKeeper, elr: s.ELR, static: maps.Clone(s.Static), defaults: maps.Clone(s.Defaults),
		quorum: s.Quorum, timing: s.Timing.orDefault(),
		brokers: map[int32]*broker{}, topics: map[string]*topic{},
	}
	if m.id == "" {
		m.id = randomID()
	}
	if err := m.chooseController(); err != nil {
		return nil, err
	}
	for _, b := range s.Brokers {
		if err := m.addBroker(b); err != nil {
			return nil, err
		}
	}
	for _, t := range s.Topics {
		if err := m.addTopic(t); err != nil {
			return nil, err
		}
	}
	m.fillDisks(s.Brokers)
	return m, nil
}

// fillDisks makes room for what a Spec says is usable.
func (m *model) fillDisks(specs []Broker) {
	for _, s := range specs {
		b := m.brokers[s.ID]
		for _, d := range s.Dirs {
			if d.Usable > 0 {
				at := b.dir(d.Path)
				at.other = 0
				at.other = max(0, m.usable(b, at)-d.Usable)
			}
		}
	}
}

const (
	defaultSettle   = 100 * time.Millisecond
	defaultShutdown = 300 * time.Millisecond
	defaultBoot     = 500 * time.Millisecond
	defaultLoad     = 200 * time.Millisecond
	defaultErase    = time.Minute
)

func (t Timing) orDefault() Timing {
	return Timing{
		Lag:      t.Lag,
		Settle:   cmp.Or(t.Settle, defaultSettle),
		Shutdown: cmp.Or(t.Shutdown, defaultShutdown),
		Boot:     cmp.Or(t.Boot, defaultBoot),
		Load:     cmp.Or(t.Load, defaultLoad),
		Erase:    cmp.Or(t.Erase, defaultErase),
	}
}

func (m *model) chooseController() error {
	if m.zk {
		if m.release.AtLeast(4, 0) {
			return fmt.Errorf("release %v has no ZooKeeper mode", m.release)
		}
		m.control = zookeeper{m}
		return nil
	}
	m.control = kraft{m}
	if m.metadataVersion == 0 {
		m.metadataVersion = m.release.newestMetadataVersion()
	}
	if len(m.quorum.Voters) == 0 {
		for id := int32(3000); id < 3003; id++ {
			m.quorum.Voters = append(m.quorum.Voters, Voter{ID: id, Host: fmt.Sprintf("controller-%d", id), Port: 9093})
		}
	}
	m.quorum.Voters = slices.Clone(m.quorum.Voters)
	return nil
}

// defaultDir is the disk of a broker that names none.
var defaultDir = Dir{Path: "/var/lib/kafka", Bytes: 1 << 40}

// defaultLink is a link nobody notices: 1 GB/s.
const defaultLink = 1e9

func (m *model) addBroker(s Broker) error {
	if s.ID < 0 || m.brokers[s.ID] != nil {
		return fmt.Errorf("broker %d: negative or named twice", s.ID)
	}
	b := &broker{
		id: s.ID, rack: s.Rack, host: s.Host, port: s.Port, state: s.State, running: s.State == plan.Alive,
		configs: maps.Clone(s.Configs), link: float64(cmp.Or(s.BytesPerSec, defaultLink)),
		logs: map[*partition]*diskLog{}, named: map[plan.TopicPartition]*dir{},
	}
	if s.State == plan.ShuttingDown {
		return fmt.Errorf("broker %d: a cluster does not start with a broker shutting down", s.ID)
	}
	if len(s.Dirs) == 0 {
		s.Dirs = []Dir{defaultDir}
	}
	for _, d := range s.Dirs {
		b.dirs = append(b.dirs, &dir{path: d.Path, total: d.Bytes, other: d.Other, offline: d.Offline})
	}
	m.brokers[b.id] = b
	return nil
}

// addTopic adds a topic with its partitions, whose logs are there already.
func (m *model) addTopic(s Topic) error {
	if m.topics[s.Name] != nil {
		return fmt.Errorf("topic %s: named twice", s.Name)
	}
	t := &topic{name: s.Name, id: s.ID, configs: maps.Clone(s.Configs), hidden: s.Hidden}
	if t.id == [16]byte{} && m.release.AtLeast(2, 8) {
		rand.Read(t.id[:])
	}
	numbered := slices.ContainsFunc(s.Partitions, func(p Partition) bool { return p.Number != 0 })
	for i, p := range s.Partitions {
		if !numbered {
			p.Number = int32(i)
		}
		if i > 0 && p.Number <= t.partitions[i-1].number {
			return fmt.Errorf("topic %s: partition %d out of order", s.Name, p.Number)
		}
		t.partitions = append(t.partitions, m.newPartition(t, p))
	}
	m.topics[t.name] = t
	for _, p := range t.partitions {
		m.layOut(p)
	}
	return nil
}

func (m *model) newPartition(t *topic, s Partition) *partition {
	p := &partition{
		topic: t, number: s.Number, epoch: s.LeaderEpoch, bytes: float64(s.Bytes), rate: float64(s.BytesPerSec),
		stuck: map[int32]bool{}, since: -time.Hour,
		Partition: election.Partition{
			Leader: plan.NoLeader, Replicas: slices.Clone(s.Replicas), ISR: slices.Clone(s.ISR),
			Adding: slices.Clone(s.Adding), Removing: slices.Clone(s.Removing),
			ELR: slices.Clone(s.ELR), LastKnown: slices.Clone(s.LastKnownELR),
		},
	}
	for _, id := range s.Stuck {
		p.stuck[id] = true
	}
	if s.ISR == nil {
		dead := without(p.Replicas, m.activeBrokers()...)
		p.ISR = without(p.Replicas, append(dead, p.Adding...)...)
	}
	if s.Leader != nil {
		p.Leader = *s.Leader
	} else if first := without(p.Replicas, without(p.Replicas, p.ISR...)...); len(first) > 0 && m.active(first[0]) {
		p.Leader = first[0]
	}
	return p
}

// layOut gives each replica its log: whole where it is in sync, half where it
// is not (it was once), none yet where it is only being added.
func (m *model) layOut(p *partition) {
	for _, id := range p.Replicas {
		b := m.brokers[id]
		if b == nil || len(b.dirs) == 0 {
			continue
		}
		log := &diskLog{dir: m.nextDir(b), bytes: p.bytes}
		if !slices.Contains(p.ISR, id) {
			log.bytes /= 2
		}
		if slices.Contains(p.Adding, id) && !slices.Contains(p.ISR, id) {
			log.bytes = 0
		}
		b.keep(p, log)
	}
	m.touched(p)
}

func (m *model) activeBrokers() []int32 {
	var ids []int32
	for _, b := range m.sortedBrokers() {
		if b.state == plan.Alive {
			ids = append(ids, b.id)
		}
	}
	return ids
}

// randomID is a cluster id as Kafka makes them: a UUID in base64, 22 characters.
func randomID() string {
	var id [16]byte
	rand.Read(id[:])
	return base64.RawURLEncoding.EncodeToString(id[:])
}
