package simkafka

import (
	"slices"
	"strconv"
	"time"

	"drain/election"
	"drain/plan"
)

// write makes next the state of the partition, and the disks follow.
func (m *model) write(p *partition, next election.Partition) {
	old := p.Partition
	m.remember(p)
	for _, id := range without(old.ISR, next.ISR...) {
		if log := m.log(p, id); log != nil {
			log.bytes, log.caughtUp = p.bytes, false
		}
	}
	if next.Leader != old.Leader && next.Leader != plan.NoLeader && !slices.Contains(old.ISR, next.Leader) {
		if log := m.log(p, next.Leader); log != nil {
			p.bytes = log.bytes // the others follow what it has
		}
	}
	p.Partition = next
	if next.Leader != old.Leader || !containsAll(next.Replicas, old.Replicas) {
		p.epoch++
	}
	if next.Leader != old.Leader {
		p.since = m.now
	}
	for _, id := range without(old.Replicas, next.Replicas...) {
		if b := m.brokers[id]; b != nil && b.running {
			m.erase(b, p)
		}
	}
	for _, id := range next.Replicas {
		m.makeLog(p, id)
	}
	m.touched(p)
}

// touched keeps what depends on a partition's state: which replicas copy, and
// since when acks=all writes have been refused.
func (m *model) touched(p *partition) {
	m.copying.touched(p)
	p.blocked.set(m.now, !m.writable(p))
}

// blocked sums up how long a partition took no acks=all write.
type blocked struct {
	now   bool
	since time.Duration
	total time.Duration
}

func (b *blocked) set(at time.Duration, now bool) {
	if b.now {
		b.total += at - b.since
	}
	b.now, b.since = now, at
}

// writable says that acks=all is accepted: there is a running leader, and as
// many in sync as it asks for.
func (m *model) writable(p *partition) bool {
	leader := m.brokers[p.Leader]
	return leader != nil && leader.running && len(p.ISR) >= m.brokerMinISR(leader, p)
}

// brokerMinISR is min.insync.replicas as the leader resolves it
// (Partition.effectiveMinIsr): adding and removing replicas count.
func (m *model) brokerMinISR(leader *broker, p *partition) int {
	least := 1
	for _, layer := range []map[string]string{p.topic.configs, leader.configs, m.defaults, m.static} {
		if n, err := strconv.Atoi(layer["min.insync.replicas"]); err == nil {
			least = n
			break
		}
	}
	if m.release.capsMinISR() {
		least = min(least, len(p.Replicas))
	}
	return least
}
