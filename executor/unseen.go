package executor

import (
	"slices"

	"drain/plan"
	"drain/reassign"
)

// noteUnseen writes down the moves that the picture shows complete and that no
// process of the run saw end: Kafka goes on after one that was interrupted or
// died. A new plan leaves them out, and what is not written down as moved no
// restore puts back. Those that still lack their order or leader are returned
// instead: they are not over.
func (r *run) noteUnseen(c *plan.Cluster, h *history) (unsettled []plan.Move, err error) {
	var done []plan.Move
	for _, m := range h.unseen(c) {
		if isUnsettled(c, m) {
			unsettled = append(unsettled, m)
		} else {
			done = append(done, m)
		}
	}
	return unsettled, r.noteMoved(done)
}

// noteMoved writes moves down as complete.
func (r *run) noteMoved(done []plan.Move) error {
	of := make([]plan.TopicPartition, len(done))
	for i, m := range done {
		of[i] = m.TopicPartition
	}
	return ledger{r.append}.Moved(of)
}

// unseen are the moves that are complete in a picture and not in the journal.
func (h *history) unseen(c *plan.Cluster) []plan.Move {
	return slices.DeleteFunc(h.own(), func(m plan.Move) bool { return !hasArrived(c, m) })
}

// hasArrived says that a partition is on the brokers to which its move was to
// bring it, be it in another order: the last request, which sets that, is ours.
func hasArrived(c *plan.Cluster, m plan.Move) bool {
	i, there := c.Find(m.TopicPartition)
	if !there {
		return false
	}
	v := c.Partition(i)
	again := m.TopicID != [16]byte{} && c.Topics[v.Topic].ID != m.TopicID // another topic of the name
	return !again && !v.InFlight() && len(m.To) > 0 && sameMembers(v.Replicas, m.After) && len(without(m.To, v.ISR)) == 0
}

// isUnsettled says of a move that has arrived that it still lacks its order or
// its leader.
func isUnsettled(c *plan.Cluster, m plan.Move) bool {
	i, _ := c.Find(m.TopicPartition)
	v := c.Partition(i)
	return reassign.Unsettled(m, reassign.PartitionState{TopicPartition: m.TopicPartition, Leader: v.Leader, Replicas: v.Replicas, ISR: v.ISR})
}
