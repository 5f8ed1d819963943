package plan

import "drain/election"

// ballots turns the partitions of a cluster into what package election asks
// for. What is the same for all partitions of a topic is looked up once, as
// they come in order.
type ballots struct {
	c     *Cluster
	alive nodeIndex

	topic   int // whose settings follow, or -1
	minISR  int
	unclean election.Unclean
	first   int // replicas of its partition 0
}

func newBallots(c *Cluster) *ballots {
	b := &ballots{c: c, topic: -1}
	for i := range c.Brokers {
		if c.Brokers[i].Live() {
			b.alive.set(c.Brokers[i].ID, int32(i))
		}
	}
	return b
}

func (b *ballots) live(id int32) bool { return b.alive.of(id) >= 0 }

// settle looks up the settings of a topic.
func (b *ballots) settle(topic int) {
	if b.topic == topic {
		return
	}
	b.topic, b.minISR = topic, b.c.MinISR(topic)
	b.unclean = [...]election.Unclean{Off: election.Off, On: election.On, Maybe: election.Unknown}[b.c.Unclean(topic)]
	b.first = 0
	if i := b.c.Topics[topic].First; b.c.partitions.number[i] == 0 {
		b.first = len(b.c.Partition(i).Replicas)
	}
}

// of is the partition with index i as the controller sees it.
func (b *ballots) of(i int) election.Partition {
	v := b.c.Partition(i)
	b.settle(v.Topic)
	return election.Partition{
		Leader: v.Leader, Replicas: v.Replicas, ISR: v.ISR, ELR: v.ELR, LastKnown: v.LastKnownELR,
		Adding: v.Adding, Removing: v.Removing, Offline: v.Offline,
		MinISR: b.minISR, FirstReplicas: b.first, Unclean: b.unclean,
	}
}
