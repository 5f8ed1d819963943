package kafkatest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// State is what a cluster looks like from outside: all that a run could change
// and leave behind.
type State struct {
	Brokers []int32          // in Metadata, sorted
	Topics  map[string]Topic // internal ones too

	// Configs are the dynamic settings, by their layer: "topic NAME",
	// "broker ID", and "brokers" for the cluster's default.
	Configs map[string]map[string]string

	// Silent are the brokers of the spec that could not be asked for their
	// settings, sorted.
	Silent []int32
}

// Topic is one topic of a State.
type Topic struct {
	ID         [16]byte // zero before Kafka 2.8
	Partitions map[int32]Partition
}

// Partition is one partition of a State. Only Replicas has an order that means
// something; the other lists are sorted.
type Partition struct {
	Leader   int32 // -1 is none
	Replicas []int32
	ISR, ELR []int32
	Offline  []int32 // replicas on a dead broker or log dir
	Adding   []int32
	Removing []int32
}

// Equal tells whether Diff finds nothing.
func (s State) Equal(other State) bool { return len(s.Diff(other)) == 0 }

// Diff lists what differs, a sorted line each: "orders-3 isr: [1 2] -> [2 3]".
// Settings of a broker that was silent in either state are unknown and not
// compared.
func (s State) Diff(other State) []string {
	before, after := s.facts(), other.facts()
	for _, id := range slices.Concat(s.Silent, other.Silent) {
		forget := func(fact, _ string) bool { return strings.HasPrefix(fact, brokerLayer(id)+" ") }
		maps.DeleteFunc(before, forget)
		maps.DeleteFunc(after, forget)
	}
	var lines []string
	for fact, was := range before {
		if is, there := after[fact]; !there {
			lines = append(lines, fmt.Sprintf("%s: %s -> gone", fact, was))
		} else if is != was {
			lines = append(lines, fmt.Sprintf("%s: %s -> %s", fact, was, is))
		}
	}
	for fact, is := range after {
		if _, there := before[fact]; !there {
			lines = append(lines, fmt.Sprintf("%s: new: %s", fact, is))
		}
	}
	slices.Sort(lines)
	return lines
}

// facts flattens a state to single values with a name each.
func (s State) facts() map[string]string {
	facts := map[string]string{"brokers": fmt.Sprint(s.Brokers)}
	for name, topic := range s.Topics {
		facts[name+" id"] = fmt.Sprintf("%x", topic.ID)
		for number, p := range topic.Partitions {
			at := fmt.Sprintf("%s-%d ", name, number)
			facts[at+"leader"] = fmt.Sprint(p.Leader)
			facts[at+"replicas"] = fmt.Sprint(p.Replicas)
			facts[at+"isr"] = fmt.Sprint(p.ISR)
			facts[at+"elr"] = fmt.Sprint(p.ELR)
			facts[at+"offline"] = fmt.Sprint(p.Offline)
			facts[at+"adding"] = fmt.Sprint(p.Adding)
			facts[at+"removing"] = fmt.Sprint(p.Removing)
		}
	}
	for layer, settings := range s.Configs {
		for key, value := range settings {
			facts[layer+" "+key] = fmt.Sprintf("%q", value)
		}
	}
	return facts
}

// Leaderless lists the partitions without a leader as "topic-partition", sorted.
func (s State) Leaderless() []string {
	return s.Where(func(p Partition) bool { return p.Leader < 0 })
}

// UnderReplicated lists the partitions with a replica out of the ISR, sorted.
func (s State) UnderReplicated() []string {
	return s.Where(func(p Partition) bool { return len(p.ISR) < len(p.Replicas) })
}

// OnBroker lists the partitions that have a replica on the broker, sorted.
func (s State) OnBroker(id int32) []string {
	return s.Where(func(p Partition) bool { return slices.Contains(p.Replicas, id) })
}

// Where lists the partitions that fit, as "topic-partition", sorted by topic and
// then by number.
func (s State) Where(fits func(Partition) bool) []string {
	var names []string
	for _, topic := range slices.Sorted(maps.Keys(s.Topics)) {
		partitions := s.Topics[topic].Partitions
		for _, number := range slices.Sorted(maps.Keys(partitions)) {
			if fits(partitions[number]) {
				names = append(names, fmt.Sprintf("%s-%d", topic, number))
			}
		}
	}
	return names
}

func topicLayer(name string) string { return "topic " + name }

func brokerLayer(id int32) string { return fmt.Sprintf("broker %d", id) }

// defaultLayer holds the dynamic settings of all brokers.
const defaultLayer = "brokers"
