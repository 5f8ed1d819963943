package simkafka

import (
	"cmp"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"

	"drain/plan"
)

// createTopic makes a topic whose replicas have been placed, on empty logs.
func (m *model) createTopic(s Topic) *refusal {
	if m.topics[s.Name] != nil {
		return refuse(kerr.TopicAlreadyExists, "Topic '%s' already exists.", s.Name)
	}
	for _, p := range s.Partitions {
		if no := m.creatable(p.Replicas); no != nil {
			return no
		}
	}
	if err := m.addTopic(s); err != nil {
		return refuse(kerr.InvalidRequest, "%v", err)
	}
	return nil
}

// creatable looks at a replica list somebody gave for a new partition.
func (m *model) creatable(list []int32) *refusal {
	if m.zk {
		return wellFormed(list)
	}
	return kraft{m}.placeable(list)
}

// deleteTopic removes a topic at once, as far as clients can tell. A ZooKeeper
// controller may have it queued for long, for a broker that is down; but nobody
// shows it, and its moves are gone (seen on 3.9.2 and 2.4.1).
func (m *model) deleteTopic(t *topic) {
	for _, p := range t.partitions {
		for _, b := range m.brokers {
			m.erase(b, p)
		}
		m.copying.forget(p)
	}
	delete(m.topics, t.name)
}

// place chooses brokers for new partitions: uncordoned ones, those with the
// fewest replicas first. Kafka's own choice is random; this one is not, and
// spreads as well.
func (m *model) place(partitions, factor int) ([][]int32, *refusal) {
	var brokers []*broker
	held := map[int32]int{}
	for _, b := range m.sortedBrokers() {
		if b.state == plan.Alive && !m.cordoned(b) {
			brokers = append(brokers, b)
			held[b.id] = len(b.logs)
		}
	}
	if factor < 1 || factor > len(brokers) {
		return nil, refuse(kerr.InvalidReplicationFactor,
			"Unable to replicate the partition %d time(s): The target replication factor of %d cannot be reached because only %d broker(s) are registered or some brokers have all their log directories cordoned.",
			factor, factor, len(brokers))
	}
	lists := make([][]int32, partitions)
	for i := range lists {
		slices.SortStableFunc(brokers, func(a, b *broker) int {
			return cmp.Or(cmp.Compare(held[a.id], held[b.id]), cmp.Compare(a.id, b.id))
		})
		for _, b := range brokers[:factor] {
			lists[i] = append(lists[i], b.id)
			held[b.id]++
		}
	}
	return lists, nil
}

// addPartitions grows a topic. In KRaft the new ones copy the length of the
// first list, whatever is in flight in it; ZooKeeper refuses while anything is.
func (m *model) addPartitions(t *topic, count int, lists [][]int32) *refusal {
	if m.zk && slices.ContainsFunc(t.partitions, (*partition).inFlight) {
		return refuse(kerr.ReassignmentInProgress, "")
	}
	first := int(t.partitions[len(t.partitions)-1].number) + 1
	if count <= first {
		return refuse(kerr.InvalidPartitions, "Topic currently has %d partitions, which is higher than the requested %d.", first, count)
	}
	if lists == nil {
		var no *refusal
		if lists, no = m.place(count-first, len(t.partitions[0].Replicas)); no != nil {
			return no
		}
	}
	for _, list := range lists {
		if no := m.creatable(list); no != nil {
			return no
		}
	}
	for i, list := range lists {
		p := m.newPartition(t, Partition{Number: int32(first + i), Replicas: list})
		t.partitions = append(t.partitions, p)
		m.layOut(p)
	}
	return nil
}
