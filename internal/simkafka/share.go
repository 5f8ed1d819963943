package simkafka

import (
	"cmp"
	"slices"
)

// port is one limit that flows pass: a link of a broker, or a throttle on it.
type port struct {
	broker int32
	kind   portKind
}

type portKind int8

const (
	linkOut portKind = iota
	linkIn
	leaderThrottle
	followerThrottle
)

// ports are the limits a flow passes. A throttle takes a rate on the broker and
// an entry in the list of the topic, each side its own (KIP-73).
func (m *model) ports(f *flow) []port {
	ports := []port{{f.leader.id, linkOut}, {f.follower.id, linkIn}}
	if _, ok := m.rate(f.leader, leaderRate); ok && f.p.topic.throttled(leaderReplicas, f.p.number, f.leader.id) {
		ports = append(ports, port{f.leader.id, leaderThrottle})
	}
	if _, ok := m.rate(f.follower, followerRate); ok && f.p.topic.throttled(followerReplicas, f.p.number, f.follower.id) {
		ports = append(ports, port{f.follower.id, followerThrottle})
	}
	return ports
}

func (m *model) capacity(p port) float64 {
	b := m.brokers[p.broker]
	rate := b.link
	switch p.kind {
	case leaderThrottle:
		rate, _ = m.rate(b, leaderRate)
	case followerThrottle:
		rate, _ = m.rate(b, followerRate)
	}
	return rate
}

// share gives every flow its rate: max-min fair over the ports. The traffic of
// listed replicas that are in sync is never held back, but counts.
func (m *model) share(flows []*flow) {
	waiting := map[port][]*flow{}
	passes := map[*flow][]port{}
	room := map[port]float64{}
	for _, f := range flows {
		passes[f] = m.ports(f)
		for _, p := range passes[f] {
			waiting[p] = append(waiting[p], f)
			room[p] = m.capacity(p)
		}
	}
	m.countInSync(room)
	order := make([]port, 0, len(waiting))
	for p := range waiting {
		order = append(order, p)
	}
	slices.SortFunc(order, func(a, b port) int {
		return cmp.Or(cmp.Compare(a.broker, b.broker), cmp.Compare(a.kind, b.kind))
	})
	fill(order, waiting, passes, room)
}

// fill fixes, again and again, the flows of the port that has the least for
// each of them, and takes what they draw from the other ports they pass.
func fill(order []port, waiting map[port][]*flow, passes map[*flow][]port, room map[port]float64) {
	fixed := map[*flow]bool{}
	for len(order) > 0 {
		tightest := slices.MinFunc(order, func(a, b port) int {
			return cmp.Compare(room[a]/float64(len(waiting[a])), room[b]/float64(len(waiting[b])))
		})
		each := max(0, room[tightest]/float64(len(waiting[tightest])))
		for _, f := range waiting[tightest] {
			f.rate, fixed[f] = each, true
			for _, p := range passes[f] {
				room[p] -= each
			}
		}
		for _, p := range order {
			waiting[p] = slices.DeleteFunc(waiting[p], func(f *flow) bool { return fixed[f] })
		}
		order = slices.DeleteFunc(order, func(p port) bool { return len(waiting[p]) == 0 })
	}
}

// countInSync takes from the throttles what listed replicas in sync fetch
// (KafkaApis.sizeOfThrottledPartitions counts them).
func (m *model) countInSync(room map[port]float64) {
	for _, p := range inOrder(m.copying.growing) {
		if !m.leads(p) {
			continue
		}
		followers := without(p.ISR, p.Leader)
		if p.topic.throttled(leaderReplicas, p.number, p.Leader) {
			take(room, port{p.Leader, leaderThrottle}, p.rate*float64(len(followers)))
		}
		for _, id := range followers {
			if p.topic.throttled(followerReplicas, p.number, id) {
				take(room, port{id, followerThrottle}, p.rate)
			}
		}
	}
}

func take(room map[port]float64, p port, bytesPerSec float64) {
	if _, ok := room[p]; ok {
		room[p] = max(0, room[p]-bytesPerSec)
	}
}
