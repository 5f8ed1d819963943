package simkafka

import (
	"maps"
	"math"
	"slices"
	"time"

	"drain/plan"
)

// copying is the replication under way, as a fluid: every replica that is not
// in sync draws from its leader, and all share the ports they go through fairly.
type copying struct {
	short   map[*partition]bool // has replicas out of sync
	growing map[*partition]bool // is written to
	flows   []*flow             // by partition, then follower
	stale   bool                // the flows must be made again
}

// flow is one replica that catches up with its leader.
type flow struct {
	p                *partition
	leader, follower *broker
	log              *diskLog
	rate             float64       // bytes a second
	ends             time.Duration // caught up then; never: forever
}

const forever = time.Duration(math.MaxInt64)

func (c *copying) touched(p *partition) {
	c.stale = true
	if c.short == nil {
		c.short, c.growing = map[*partition]bool{}, map[*partition]bool{}
	}
	if containsAll(p.ISR, p.Replicas) {
		delete(c.short, p)
	} else {
		c.short[p] = true
	}
	if p.rate > 0 {
		c.growing[p] = true
	}
}

func (c *copying) forget(p *partition) {
	delete(c.short, p)
	delete(c.growing, p)
	c.stale = true
}

// refresh makes the flows again after anything has changed.
func (m *model) refresh() {
	if !m.copying.stale {
		return
	}
	m.copying.stale = false
	m.copying.flows = m.copying.flows[:0]
	for _, p := range inOrder(m.copying.short) {
		for _, id := range p.Replicas {
			if f := m.flow(p, id); f != nil {
				m.copying.flows = append(m.copying.flows, f)
			}
		}
	}
	m.share(m.copying.flows)
	for _, f := range m.copying.flows {
		f.ends = m.endOf(f)
	}
}

// inOrder lists partitions by name: what is shared must not depend on a map.
func inOrder(set map[*partition]bool) []*partition {
	return slices.SortedFunc(maps.Keys(set), func(a, b *partition) int { return a.name().Compare(b.name()) })
}

// flow is the copying of one replica, or nil if it has nothing to copy or
// cannot.
func (m *model) flow(p *partition, id int32) *flow {
	if p.Leader == plan.NoLeader || id == p.Leader || slices.Contains(p.ISR, id) || p.stuck[id] {
		return nil
	}
	f := &flow{p: p, leader: m.brokers[p.Leader], follower: m.brokers[id], log: m.log(p, id)}
	source := m.log(p, p.Leader)
	if f.log == nil || f.log.caughtUp || f.log.dir.offline || source == nil || source.dir.offline ||
		!f.follower.running || !f.leader.running || f.follower.state != plan.Alive {
		return nil
	}
	return f
}

func (m *model) endOf(f *flow) time.Duration {
	left := f.p.bytes - f.log.bytes
	if left <= 0 {
		return m.now
	}
	if f.rate <= f.p.rate {
		return forever
	}
	seconds := left / (f.rate - f.p.rate)
	if seconds > 1e9 {
		return forever
	}
	return m.now + time.Duration(math.Ceil(seconds*1e9))
}

// advance moves time on, and lets happen what is due meanwhile.
func (m *model) advance(to time.Duration) {
	for {
		at, ok := m.next()
		if !ok || at > to {
			break
		}
		m.flowUntil(at)
		m.happen()
	}
	m.flowUntil(to)
}

// next is when something will happen by itself.
func (m *model) next() (time.Duration, bool) {
	m.refresh()
	at := forever
	if len(m.events) > 0 {
		at = m.events[0].at
	}
	for _, f := range m.copying.flows {
		at = min(at, f.ends)
	}
	return at, at < forever
}

// flowUntil lets logs grow; nothing changes its rate before that time.
func (m *model) flowUntil(to time.Duration) {
	seconds := (to - m.now).Seconds()
	if seconds <= 0 {
		return
	}
	m.refresh()
	for p := range m.copying.growing {
		if m.leads(p) {
			p.bytes += p.rate * seconds
		}
	}
	for _, f := range m.copying.flows {
		f.log.bytes = min(f.log.bytes+f.rate*seconds, f.p.bytes)
	}
	m.now = to
}

func (m *model) leads(p *partition) bool {
	leader := m.brokers[p.Leader]
	return leader != nil && leader.running
}

// happen does what is due now: replicas that have caught up begin to settle, and
// events.
func (m *model) happen() {
	for _, f := range m.copying.flows {
		if f.ends <= m.now {
			f.log.bytes, f.log.caughtUp = f.p.bytes, true
			m.copying.stale = true
			m.after(m.timing.Settle, func() { m.settle(f) })
		}
	}
	for len(m.events) > 0 && m.events[0].at <= m.now {
		due := m.events[0]
		m.events = m.events[1:]
		due.do()
	}
}

// settle lets a replica into the ISR, unless something has come between.
func (m *model) settle(f *flow) {
	if m.log(f.p, f.follower.id) != f.log || !f.log.caughtUp {
		return
	}
	f.log.caughtUp = false
	m.copying.stale = true
	if f.p.Leader == f.leader.id && m.flow(f.p, f.follower.id) != nil {
		f.log.bytes = f.p.bytes
		m.control.setISR(f.p, append(slices.Clone(f.p.ISR), f.follower.id))
	}
}
