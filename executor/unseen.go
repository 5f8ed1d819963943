package executor

import "drain/plan"

// noteUnseen writes down the moves that the picture shows complete and that no
// process of the run saw end: Kafka goes on after one that was interrupted or
// died. A new plan leaves them out, and what is not written down as moved no
// restore puts back.
func (r *run) noteUnseen(c *plan.Cluster, h *history) error {
	done := h.unseen(c)
	if len(done) == 0 {
		return nil
	}
	return ledger{r.append}.Moved(done)
}

// unseen are the moves that are complete in a picture and not in the journal.
func (h *history) unseen(c *plan.Cluster) []plan.TopicPartition {
	var done []plan.TopicPartition
	for _, m := range h.own() {
		if hasArrived(c, m) {
			done = append(done, m.TopicPartition)
		}
	}
	return done
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
