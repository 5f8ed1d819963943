package reassign

import "drain/plan"

// queueDeletion deletes a topic as a ZooKeeper controller does: not while one of
// its partitions is reassigned.
func (m *model) queueDeletion(topic string) {
	m.step()
	m.deleting = topic
	m.finishDeletion()
}

// finishDeletion removes the topic once nothing of it is in flight any more.
func (m *model) finishDeletion() {
	for tp, p := range m.parts {
		if tp.Topic == m.deleting && len(p.adding)+len(p.removing) > 0 {
			return
		}
	}
	if m.deleting != "" {
		m.remove(m.deleting)
		m.deleting = ""
	}
}

func (m *model) isQueued(tp plan.TopicPartition) bool {
	return m.deleting != "" && tp.Topic == m.deleting
}
