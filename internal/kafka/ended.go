package kafka

import (
	"slices"

	"drain/plan"
	"drain/reassign"
)

// remember keeps the moves that were seen in flight until they are seen ended.
func (c *Client) remember(list []reassign.InFlight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, move := range list {
		c.moving[move.TopicPartition] = move
	}
}

// halfEnded lists the topics of moves that are in flight no longer and whose
// partition still has the list of the move, target and leaving replicas at once.
// No move ends like that: the broker that gave the list has not heard yet.
func (c *Client) halfEnded(inFlight map[plan.TopicPartition]reassign.InFlight, topics topicIndex) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for tp, move := range c.moving {
		if _, going := inFlight[tp]; going {
			continue
		}
		part := topics.partition(tp)
		if part != nil && len(move.Removing) > 0 && slices.Equal(part.Replicas, move.Replicas) {
			names = append(names, tp.Topic)
			continue
		}
		delete(c.moving, tp)
	}
	return names
}
