package simkafka

import (
	"time"

	"drain/election"
)

// seen is what the controller kept of a partition until a moment.
type seen struct {
	election.Partition
	epoch int32
	until time.Duration
}

// remember keeps the present state for brokers that lag.
func (m *model) remember(p *partition) {
	if m.timing.Lag == 0 {
		return
	}
	for len(p.past) > 0 && p.past[0].until < m.now-m.timing.Lag {
		p.past = p.past[1:]
	}
	p.past = append(p.past, seen{p.Partition, p.epoch, m.now})
}

// shown is the partition as a broker's metadata has it.
func (m *model) shown(p *partition) seen {
	for _, s := range p.past {
		if s.until > m.now-m.timing.Lag {
			return s
		}
	}
	return seen{Partition: p.Partition, epoch: p.epoch}
}
