package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
	"drain/reassign"
)

// readPartitions reads what is in flight, all partitions, and again what is in
// flight. Whatever was started or ended in between, and whatever via has not
// heard of yet, is read again, until both agree.
//
// The order matters: a list of replicas that is older than the list of what is
// in flight may name a replica that has left, and a plan made from it would
// raise the replication factor.
func (p *picture) readPartitions(ctx context.Context) error {
	before, err := p.inFlight(ctx)
	if err != nil {
		return err
	}
	if p.meta, err = p.client.metadata(ctx, p.via, nil); err != nil {
		return err
	}
	p.topics = indexTopics(p.meta.Topics)
	p.meta.Topics = nil
	if err := p.readEligible(ctx, slices.Sorted(maps.Keys(p.topics))); err != nil {
		return err
	}
	const rounds = 5
	for round := 0; ; round++ {
		if p.moves, err = p.inFlight(ctx); err != nil {
			return err
		}
		stale := p.stale(before, p.moves)
		if len(stale) == 0 {
			return nil
		}
		if round == rounds {
			p.noteStale(stale)
			return nil
		}
		if err := p.reread(ctx, stale, round); err != nil {
			return err
		}
		before = p.moves
	}
}

// reread replaces some topics, after a moment: each broker learns of a change
// by itself.
func (p *picture) reread(ctx context.Context, topics []string, round int) error {
	select {
	case <-time.After(50 * time.Millisecond << round):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	meta, err := p.client.metadata(ctx, p.via, topics)
	if err != nil {
		return err
	}
	for name, topic := range indexTopics(meta.Topics) {
		if topic.ErrorCode != 0 && len(topic.Partitions) == 0 {
			delete(p.topics, name) // deleted meanwhile
			continue
		}
		p.topics[name] = topic
	}
	return p.readEligible(ctx, topics)
}

func (p *picture) inFlight(ctx context.Context) (map[plan.TopicPartition]reassign.InFlight, error) {
	list, err := p.client.InFlight(ctx)
	if errors.Is(err, ErrAuthorization) {
		p.noteOnce(plan.Block, "reassignments-unread", "reassignments in flight can not be listed: "+err.Error(),
			"grant DESCRIBE on the cluster to this login")
		return nil, nil
	}
	moves := make(map[plan.TopicPartition]reassign.InFlight, len(list))
	for _, move := range list {
		moves[move.TopicPartition] = move
	}
	return moves, err
}

// stale lists the topics, sorted, whose moves changed or whose replica lists
// are not those of their moves.
func (p *picture) stale(before, after map[plan.TopicPartition]reassign.InFlight) []string {
	topics := map[string]bool{}
	for tp, move := range after {
		was, ok := before[tp]
		partition := p.topics.partition(tp)
		if !ok || !sameMove(was, move) || partition != nil && !slices.Equal(partition.Replicas, move.Replicas) {
			topics[tp.Topic] = true
		}
	}
	for tp := range before {
		if _, ok := after[tp]; !ok {
			topics[tp.Topic] = true
		}
	}
	return slices.Sorted(maps.Keys(topics))
}

func sameMove(a, b reassign.InFlight) bool {
	return slices.Equal(a.Replicas, b.Replicas) && slices.Equal(a.Adding, b.Adding) && slices.Equal(a.Removing, b.Removing)
}

func (p *picture) noteStale(topics []string) {
	for _, topic := range topics {
		p.note(plan.Warn, "topic-in-motion", topic, -1,
			"its reassignments change faster than they can be read: replica lists may be out of date",
			"wait until the reassignments of the topic have ended")
	}
}

// noteOnce is note for what would be said again with each request.
func (p *picture) noteOnce(level plan.Level, risk, message, remedy string) {
	if !slices.ContainsFunc(p.notes, func(f plan.Finding) bool { return f.Risk == risk && f.Message == message }) {
		p.note(level, risk, "", -1, message, remedy)
	}
}

// addTopics hands topics and partitions to the builder, by name and number.
func (p *picture) addTopics(b *plan.Builder) {
	sizes := p.sizes()
	for _, name := range slices.Sorted(maps.Keys(p.topics)) {
		topic := p.topics[name]
		if topic.ErrorCode != 0 {
			p.note(plan.Block, "topic-unread", name, -1,
				fmt.Sprintf("the topic can not be read: %v", fault(topic.ErrorCode, nil)), "wait until it can be described, or mend it")
			continue
		}
		b.Topic(plan.Topic{Name: name, ID: topic.TopicID, Configs: p.configs[name]})
		for i := range topic.Partitions {
			p.addPartition(b, name, &topic.Partitions[i], sizes)
		}
	}
}

func (p *picture) addPartition(b *plan.Builder, topic string, part *kmsg.MetadataResponseTopicPartition, sizes map[plan.TopicPartition]size) {
	tp := plan.TopicPartition{Topic: topic, Partition: part.Partition}
	if len(part.Replicas) == 0 {
		p.notes = append(p.notes, plan.Finding{
			Level: plan.Warn, Risk: "topic-unread", Topic: topic, Partition: part.Partition, Broker: -1,
			Message: fmt.Sprintf("left out: metadata has no replicas for it (%v)", fault(part.ErrorCode, nil)),
			Remedy:  "wait until its topic is created or deleted",
		})
		return
	}
	bytes := plan.Unknown
	if s, ok := sizes[tp]; ok {
		bytes = s.bytes()
	}
	move, elr := p.moves[tp], p.eligible[tp]
	b.Partition(plan.PartitionView{
		Number:       part.Partition,
		Leader:       max(part.Leader, plan.NoLeader), // -2 while ZooKeeper deletes the topic
		LeaderEpoch:  part.LeaderEpoch,
		Replicas:     part.Replicas,
		ISR:          part.ISR,
		ELR:          elr.replicas,
		LastKnownELR: elr.lastKnown,
		Adding:       move.Adding,
		Removing:     move.Removing,
		Offline:      part.OfflineReplicas,
		SizeBytes:    bytes,
	})
}
