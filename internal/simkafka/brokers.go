package simkafka

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"drain/plan"
)

// event is something that will happen.
type event struct {
	at time.Duration
	do func()
}

// after lets do happen once d has passed; events of one moment keep their order.
func (m *model) after(d time.Duration, do func()) {
	at := m.now + d
	i, _ := slices.BinarySearchFunc(m.events, at, func(e event, at time.Duration) int {
		if e.at <= at {
			return -1
		}
		return 1
	})
	m.events = slices.Insert(m.events, i, event{at, do})
}

// whileLiving is after, void once the broker has been started or stopped since.
func (m *model) whileLiving(b *broker, d time.Duration, do func()) {
	life := b.life
	m.after(d, func() {
		if b.life == life {
			do()
		}
	})
}

// sessionTimeout is how long a dead broker counts as alive.
func (m *model) sessionTimeout() time.Duration {
	key, otherwise := "broker.session.timeout.ms", 9*time.Second
	if m.zk {
		key, otherwise = "zookeeper.session.timeout.ms", 18*time.Second
	}
	if ms, err := strconv.Atoi(m.static[key]); err == nil {
		return time.Duration(ms) * time.Millisecond
	}
	return otherwise
}

// crash ends the process at once: nobody is told before its session ends.
func (m *model) crash(b *broker) {
	if !b.running {
		return
	}
	b.life++
	b.running, b.unclean = false, true
	m.processChanged(b)
	m.whileLiving(b, m.sessionTimeout(), func() { m.fence(b) })
}

// terminate is SIGTERM: leadership goes first, then the broker.
func (m *model) terminate(b *broker) {
	if !b.running || b.state == plan.ShuttingDown {
		return
	}
	b.life++
	b.state, b.unclean = plan.ShuttingDown, false
	m.control.shutDown(b)
	m.whileLiving(b, m.timing.Shutdown, func() {
		b.running = false
		m.processChanged(b)
		m.fence(b)
	})
}

// fence takes a broker out of the cluster, whatever its process does.
func (m *model) fence(b *broker) {
	b.state = plan.Fenced
	m.control.left(b)
	m.processChanged(b)
	if b.restart {
		m.boot(b)
	}
}

// start boots a stopped broker; one whose old session has not ended waits for
// that (DUPLICATE_BROKER_REGISTRATION until then).
func (m *model) start(b *broker) {
	if b.running && b.state == plan.Alive {
		return
	}
	if b.state == plan.Alive || b.state == plan.ShuttingDown {
		b.restart = true
		return
	}
	m.boot(b)
}

func (m *model) boot(b *broker) {
	b.life++
	b.restart = false
	m.whileLiving(b, m.timing.Boot, func() { m.join(b) })
}

// join is a broker that has come up: logs of no replica list are set aside, and
// what it missed is fetched.
func (m *model) join(b *broker) {
	b.running, b.state = true, plan.Alive
	for p := range maps.Clone(b.logs) {
		if !slices.Contains(p.Replicas, b.id) || m.topics[p.topic.name] != p.topic {
			b.drop(p)
		}
	}
	m.eachPartition(func(p *partition) {
		if slices.Contains(p.Replicas, b.id) {
			m.makeLog(p, b.id)
		}
	})
	m.control.back(b)
	b.unclean = false
	m.processChanged(b)
}

// processChanged re-reads what depends on a broker's process.
func (m *model) processChanged(b *broker) {
	m.eachPartition(func(p *partition) {
		if slices.Contains(p.Replicas, b.id) || p.Leader == b.id {
			m.touched(p)
		}
	})
}

// failDir takes a log dir offline on a broker that goes on.
func (m *model) failDir(b *broker, d *dir) {
	d.offline = true
	var of []*partition
	m.eachPartition(func(p *partition) {
		if log := b.logs[p]; log != nil && log.dir == d {
			of = append(of, p)
		}
	})
	m.control.lost(b, of)
	m.copying.stale = true
}
