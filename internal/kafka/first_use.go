package kafka

import (
	"fmt"
	"slices"

	"drain/plan"
)

// createdOnUse are the internal topics that Kafka makes when they are first
// needed, and the settings that say with how many replicas
// (AutoTopicCreationManager). With fewer brokers than that they are not made.
var createdOnUse = []struct{ topic, factor string }{
	{"__consumer_offsets", "offsets.topic.replication.factor"},
	{"__transaction_state", "transaction.state.log.replication.factor"},
}

// factorKeys are those settings.
var factorKeys = []string{createdOnUse[0].factor, createdOnUse[1].factor}

// noteFirstUse tells of internal topics that could not be made while the
// drained brokers are away: the first consumer group, or the first transaction,
// would fail until one is back.
func (p *picture) noteFirstUse() {
	if !p.scope.Space || len(p.scope.Brokers) == 0 {
		return
	}
	left := 0
	for _, a := range p.accounts {
		if !slices.Contains(p.scope.Brokers, a.broker) {
			left++
		}
	}
	for _, c := range createdOnUse {
		if _, there := p.topics[c.topic]; there {
			continue
		}
		if factor := p.largest(c.factor); left < factor {
			p.note(plan.Warn, "internal-topic-factor", c.topic, -1,
				fmt.Sprintf("it is not there yet, and is made with %s when it is first needed: with the drained brokers away %s left",
					plan.Count(factor, "replica", "replicas"), plan.Count(left, "broker is", "brokers are")),
				"have it made before, with a first consumer group or transaction, or lower "+c.factor)
		}
	}
}

// largest is the largest effective value of a setting of the brokers.
func (p *picture) largest(key string) int {
	most := 0
	for _, a := range p.accounts {
		most = max(most, number(a.settings, key))
	}
	return most
}
