package simkafka

import (
	"maps"
	"math"
	"slices"
	"time"

	"drain/plan"
)

// State is the cluster as it stands: what a Spec of it would say now. Brokers,
// topics and partitions are sorted, lists are as the controller keeps them, and
// an ISR is sorted, since its order means nothing.
func (c *Cluster) State() Spec {
	var s Spec
	c.do(func(m *model) { s = m.spec() })
	return s
}

func (m *model) spec() Spec {
	s := Spec{
		ID: m.id, ZooKeeper: m.zk, Release: m.release.String(), MetadataVersion: m.metadataVersion, ELR: m.elr,
		Static: maps.Clone(m.static), Defaults: settingsOrNil(m.defaults), Quorum: m.quorum, Timing: m.timing,
	}
	s.Quorum.Voters = slices.Clone(m.quorum.Voters)
	for _, b := range m.sortedBrokers() {
		s.Brokers = append(s.Brokers, b.spec())
	}
	for _, t := range m.sortedTopics() {
		topic := Topic{Name: t.name, ID: t.id, Configs: settingsOrNil(t.configs), Hidden: t.hidden}
		for _, p := range t.partitions {
			topic.Partitions = append(topic.Partitions, p.spec())
		}
		s.Topics = append(s.Topics, topic)
	}
	return s
}

// settingsOrNil makes "none" one value, so that two states can be compared.
func settingsOrNil(settings map[string]string) map[string]string {
	if len(settings) == 0 {
		return nil
	}
	return maps.Clone(settings)
}

func (b *broker) spec() Broker {
	s := Broker{
		ID: b.id, Rack: b.rack, Host: b.host, Port: b.port, State: b.state,
		Configs: settingsOrNil(b.configs), BytesPerSec: int64(b.link),
	}
	for _, d := range b.dirs {
		s.Dirs = append(s.Dirs, Dir{Path: d.path, Bytes: d.total, Other: d.other, Offline: d.offline})
	}
	return s
}

func (p *partition) spec() Partition {
	s := Partition{
		Number: p.number, Leader: new(p.Leader), LeaderEpoch: p.epoch,
		Replicas: listOrNil(p.Replicas), Adding: listOrNil(p.Adding), Removing: listOrNil(p.Removing),
		ELR: listOrNil(p.ELR), LastKnownELR: listOrNil(p.LastKnown),
		Bytes: int64(math.Round(p.bytes)), BytesPerSec: int64(p.rate),
		ISR: append([]int32{}, p.ISR...),
	}
	slices.Sort(s.ISR)
	for _, id := range p.Replicas {
		if p.stuck[id] {
			s.Stuck = append(s.Stuck, id)
		}
	}
	return s
}

func listOrNil(list []int32) []int32 {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}

// Unwritable is how long each partition has taken no acks=all write since the
// start: it had no running leader, or fewer in sync than it asks for. Those
// that always took them are left out.
func (c *Cluster) Unwritable() map[plan.TopicPartition]time.Duration {
	all := map[plan.TopicPartition]time.Duration{}
	c.do(func(m *model) {
		m.eachPartition(func(p *partition) {
			p.blocked.set(m.now, p.blocked.now)
			if p.blocked.total > 0 {
				all[p.name()] = p.blocked.total
			}
		})
	})
	return all
}
