package simkafka

import (
	"slices"

	"drain/plan"
)

// headlessNow says that nobody can change the cluster's metadata: the
// controller is being replaced, or most voters are gone.
func (m *model) headlessNow() bool {
	return m.now < m.headless || !m.zk && m.votersUp() <= len(m.quorum.Voters)/2
}

func (m *model) votersUp() int {
	up := 0
	for _, v := range m.quorum.Voters {
		if m.voterUp(v) {
			up++
		}
	}
	return up
}

func (m *model) voterUp(v Voter) bool {
	if b := m.brokers[v.ID]; b != nil { // a combined node
		return b.running && !v.Down
	}
	return !v.Down
}

// leaderID is the voter that leads: the one named, or the next that is up.
func (m *model) leaderID() int32 {
	for _, v := range m.quorum.Voters {
		if v.ID == m.quorum.LeaderID && m.voterUp(v) {
			return v.ID
		}
	}
	for _, v := range m.quorum.Voters {
		if m.voterUp(v) {
			return v.ID
		}
	}
	return nobody
}

// nextController is who takes over from the one that leads now.
func (m *model) nextController() int32 {
	var ids []int32
	if m.zk {
		ids = m.activeBrokers()
	} else {
		for _, v := range m.quorum.Voters {
			if m.voterUp(v) {
				ids = append(ids, v.ID)
			}
		}
	}
	if len(ids) == 0 {
		return nobody
	}
	now := m.leaderID()
	if m.zk {
		now = m.controllerBroker()
	}
	return ids[(slices.Index(ids, now)+1)%len(ids)]
}

// controllerBroker is the broker that is the ZooKeeper controller.
func (m *model) controllerBroker() int32 {
	ids := m.activeBrokers()
	switch {
	case slices.Contains(ids, m.quorum.LeaderID):
		return m.quorum.LeaderID
	case len(ids) == 0:
		return nobody
	}
	return ids[0]
}

// controllerID is what brokers call the controller: under KRaft a live broker
// picked at random, here each in turn (KRaftMetadataCache).
func (m *model) controllerID() int32 {
	if m.zk {
		return m.controllerBroker()
	}
	var ids []int32
	for _, b := range m.sortedBrokers() {
		if b.listed() {
			ids = append(ids, b.id)
		}
	}
	if len(ids) == 0 {
		return nobody
	}
	m.asked++
	return ids[m.asked%len(ids)]
}

// listed says that Metadata names the broker: one in controlled shutdown still
// is.
func (b *broker) listed() bool { return b.state == plan.Alive || b.state == plan.ShuttingDown }
