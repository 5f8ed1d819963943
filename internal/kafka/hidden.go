package kafka

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"

	"drain/plan"
)

// readHidden looks for topics that Metadata leaves out because this login may
// not describe them. The log dirs of the drained brokers and the reassignments
// in flight name them all the same, and asked by name Kafka says why.
func (p *picture) readHidden(ctx context.Context) error {
	holders := p.unexplained()
	if len(holders) == 0 {
		return nil
	}
	meta, err := p.client.metadata(ctx, p.via, slices.Sorted(maps.Keys(holders)))
	if err != nil {
		return err
	}
	for name, topic := range indexTopics(meta.Topics) {
		switch {
		case topic.ErrorCode == 0:
			p.topics[name] = topic // created since the first look
		case topic.ErrorCode == kerr.UnknownTopicOrPartition.Code:
			p.noteStray(name, holders[name])
		default:
			p.noteHidden(name, holders[name], fault(topic.ErrorCode, nil))
		}
	}
	return nil
}

// unexplained lists the topics that are not in Metadata, and where they were
// seen: the broker, or -1 for a reassignment.
func (p *picture) unexplained() map[string]map[int32][]int32 {
	seen := map[string]map[int32][]int32{}
	add := func(tp plan.TopicPartition, broker int32) {
		if p.topics[tp.Topic] != nil {
			return
		}
		if seen[tp.Topic] == nil {
			seen[tp.Topic] = map[int32][]int32{}
		}
		seen[tp.Topic][broker] = append(seen[tp.Topic][broker], tp.Partition)
	}
	for _, a := range p.accounts {
		for _, dir := range a.dirs {
			for _, log := range logsIn(dir) {
				add(log.TopicPartition, a.broker)
			}
		}
	}
	for tp := range p.moves {
		add(tp, -1)
	}
	return seen
}

func (p *picture) noteHidden(topic string, holders map[int32][]int32, cause error) {
	for broker, partitions := range holders {
		where := "a reassignment is in flight of"
		if broker >= 0 {
			where = "the broker holds"
		}
		p.note(plan.Block, "hidden-topic", topic, broker,
			fmt.Sprintf("%s %s, which this login can not see: %v", where, list(partitions), cause),
			"grant DESCRIBE, DESCRIBE_CONFIGS and ALTER_CONFIGS on the topic to this login")
	}
}

func (p *picture) noteStray(topic string, holders map[int32][]int32) {
	for broker, partitions := range holders {
		if broker >= 0 {
			p.note(plan.Warn, "stray-log", topic, broker,
				fmt.Sprintf("the broker holds %s of a topic that does not exist (any more)", list(partitions)),
				"a deletion may be under way: look again later")
		}
	}
}

// list prints numbers for people, at most a few of them.
func list(partitions []int32) string {
	const few = 5
	slices.Sort(partitions)
	partitions = slices.Compact(partitions)
	var words []string
	for _, n := range partitions[:min(few, len(partitions))] {
		words = append(words, fmt.Sprint(n))
	}
	text := "partition " + strings.Join(words, ", ")
	if more := len(partitions) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
