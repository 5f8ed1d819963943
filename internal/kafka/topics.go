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

// readPartitions reads all partitions between two looks at what is in flight,
// and again what changed meanwhile and what the drained brokers hold, until
// nothing changes any more.
//
// A replica list that is older than the list of what is in flight may name a
// replica that has left, and a plan made from it would raise the replication
// factor. So the broker must first know what was known when this began, and
// what a plan is made from must read the same twice: small moves begin and end
// between two looks.
func (p *picture) readPartitions(ctx context.Context) error {
	before, err := p.inFlight(ctx)
	if err != nil {
		return err
	}
	const rounds = 6
	var topics []string // at first all
	for round := 0; ; round++ {
		if err := p.catchUp(ctx, round); err != nil {
			return err
		}
		again, err := p.readTopics(ctx, topics)
		if err != nil {
			return err
		}
		if p.moves, err = p.inFlight(ctx); err != nil {
			return err
		}
		for _, name := range slices.Concat(p.stale(before, p.moves), p.client.halfEnded(p.moves, p.topics)) {
			again[name] = true
		}
		topics = slices.Sorted(maps.Keys(again))
		if len(topics) == 0 {
			return nil
		}
		if round == rounds {
			p.noteStale(topics)
			return nil
		}
		before = p.moves
	}
}

// readTopics reads topics in place of what was known of them; nil is all. It
// returns those to be read again: with new replica lists, or at first those of
// the drained brokers.
func (p *picture) readTopics(ctx context.Context, topics []string) (map[string]bool, error) {
	meta, err := p.client.metadata(ctx, p.via, topics)
	if err != nil {
		return nil, err
	}
	read := indexTopics(meta.Topics)
	again := map[string]bool{}
	if topics == nil {
		p.meta, p.topics = meta, read
		meta.Topics = nil
		for name, topic := range read {
			if slices.ContainsFunc(topic.Partitions, p.onDrained) {
				again[name] = true
			}
		}
		return again, p.readEligible(ctx, slices.Collect(maps.Keys(read)))
	}
	for name, topic := range read {
		if topic.ErrorCode != 0 && len(topic.Partitions) == 0 {
			delete(p.topics, name) // deleted meanwhile
			continue
		}
		if !sameReplicas(p.topics[name], topic) {
			again[name] = true
		}
		p.topics[name] = topic
	}
	return again, p.readEligible(ctx, topics)
}

func (p *picture) onDrained(part kmsg.MetadataResponseTopicPartition) bool {
	return slices.ContainsFunc(part.Replicas, p.drained)
}

func sameReplicas(a, b *kmsg.MetadataResponseTopic) bool {
	return a != nil && slices.EqualFunc(a.Partitions, b.Partitions, func(x, y kmsg.MetadataResponseTopicPartition) bool {
		return x.Partition == y.Partition && slices.Equal(x.Replicas, y.Replicas)
	})
}

// catchUp waits until the broker that is asked has heard of all that the
// controller knows. From the second round on that takes a moment: the controller
// lists a move as ended when it has decided so, and only after
// controller.quorum.append.linger.ms (25 ms) is that in its log. With ZooKeeper
// the moment is all there is.
func (p *picture) catchUp(ctx context.Context, round int) error {
	if round > 0 {
		if err := pause(ctx, 100*time.Millisecond<<min(round-1, 2)); err != nil {
			return err
		}
	}
	if p.client.mode == plan.ZooKeeper || p.glance() {
		return nil
	}
	return p.client.catchUp(ctx, p.via)
}

// glance says that nothing is planned or proven with the picture, so that it may
// be a moment old.
func (p *picture) glance() bool { return !p.scope.Space && len(p.scope.Brokers) == 0 }

func (p *picture) inFlight(ctx context.Context) (map[plan.TopicPartition]reassign.InFlight, error) {
	list, err := p.client.inFlight(ctx, p.via)
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

// stale lists the topics whose moves changed, or whose replica lists are not
// those of their moves.
func (p *picture) stale(before, after map[plan.TopicPartition]reassign.InFlight) []string {
	var topics []string
	for tp, move := range after {
		was, ok := before[tp]
		part := p.topics.partition(tp)
		if !ok || !sameMove(was, move) || part != nil && !slices.Equal(part.Replicas, move.Replicas) {
			topics = append(topics, tp.Topic)
		}
	}
	for tp := range before {
		if _, ok := after[tp]; !ok {
			topics = append(topics, tp.Topic)
		}
	}
	return topics
}

func sameMove(a, b reassign.InFlight) bool {
	return slices.Equal(a.Replicas, b.Replicas) && slices.Equal(a.Adding, b.Adding) && slices.Equal(a.Removing, b.Removing)
}

func (p *picture) noteStale(topics []string) {
	level := plan.Block
	if p.glance() {
		level = plan.Warn
	}
	for _, topic := range topics {
		p.note(level, "topic-in-motion", topic, -1,
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
	move, moving := p.moves[tp]
	replicas, elr := part.Replicas, p.eligible[tp]
	if moving {
		replicas = move.Replicas // the controller's own word, of one moment with the rest of the move
	}
	b.Partition(plan.PartitionView{
		Number:       part.Partition,
		Leader:       max(part.Leader, plan.NoLeader), // -2 while ZooKeeper deletes the topic
		LeaderEpoch:  part.LeaderEpoch,
		Replicas:     replicas,
		ISR:          part.ISR,
		ELR:          elr.replicas,
		LastKnownELR: elr.lastKnown,
		Adding:       move.Adding,
		Removing:     move.Removing,
		Offline:      part.OfflineReplicas,
		SizeBytes:    bytes,
	})
}
