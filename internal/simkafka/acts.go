package simkafka

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// What follows happens to a cluster by other hands than the client's under
// test: operators, other tools, disks. None of it is in [Cluster.Requests].

// CreateTopic creates a topic with empty logs.
func (c *Cluster) CreateTopic(t Topic) error {
	return c.act(func(m *model) *refusal { return m.createTopic(t) })
}

// DeleteTopic deletes a topic, in the way of the controller.
func (c *Cluster) DeleteTopic(name string) error {
	return c.onTopic(name, func(m *model, t *topic) *refusal {
		m.deleteTopic(t)
		return nil
	})
}

// AddPartitions grows a topic to that many partitions.
func (c *Cluster) AddPartitions(name string, count int) error {
	return c.onTopic(name, func(m *model, t *topic) *refusal { return m.addPartitions(t, count, nil) })
}

// HideTopic takes the right to describe a topic from every login, or gives it
// back.
func (c *Cluster) HideTopic(name string, hidden bool) error {
	return c.onTopic(name, func(_ *model, t *topic) *refusal {
		t.hidden = hidden
		return nil
	})
}

// SetTopicConfig sets a topic override; nil deletes it.
func (c *Cluster) SetTopicConfig(name, key string, value *string) error {
	return c.onTopic(name, func(m *model, t *topic) *refusal {
		return m.alterConfigs(resource{topic: t}, setOrDelete(key, value), false)
	})
}

// SetBrokerConfig sets a dynamic setting of one broker, also of a dead one, as
// a controller would; nil deletes it.
func (c *Cluster) SetBrokerConfig(id int32, key string, value *string) error {
	return c.act(func(m *model) *refusal {
		b := m.brokers[id]
		if b == nil {
			return refuse(kerr.BrokerIDNotRegistered, "broker %d", id)
		}
		return m.alterConfigs(resource{broker: b}, setOrDelete(key, value), false)
	})
}

// SetDefaultConfig sets a dynamic cluster default; nil deletes it.
func (c *Cluster) SetDefaultConfig(key string, value *string) error {
	return c.act(func(m *model) *refusal { return m.alterConfigs(resource{}, setOrDelete(key, value), false) })
}

func setOrDelete(key string, value *string) []configOp {
	op := kmsg.IncrementalAlterConfigOpSet
	if value == nil {
		op = kmsg.IncrementalAlterConfigOpDelete
	}
	return []configOp{{key, op, value}}
}

// Reassign starts a move; a nil target cancels one.
func (c *Cluster) Reassign(tp plan.TopicPartition, target []int32) error {
	return c.onPartition(tp, func(m *model, p *partition) *refusal {
		if target == nil {
			return m.control.cancel(p)
		}
		return m.control.reassign(p, target)
	})
}

// Elect runs a leader election, preferred or unclean.
func (c *Cluster) Elect(tp plan.TopicPartition, unclean bool) error {
	return c.onPartition(tp, func(m *model, p *partition) *refusal { return m.control.elect(p, unclean) })
}

// Stall keeps a replica from catching up, or lets it again. One in sync stays
// in sync.
func (c *Cluster) Stall(tp plan.TopicPartition, broker int32, stalled bool) error {
	return c.onPartition(tp, func(m *model, p *partition) *refusal {
		p.stuck[broker] = stalled
		m.touched(p)
		return nil
	})
}

// Lag takes a replica out of the ISR, as its leader does with one that is
// behind. It fetches again at once, unless it is stalled.
func (c *Cluster) Lag(tp plan.TopicPartition, broker int32) error {
	return c.onPartition(tp, func(m *model, p *partition) *refusal {
		if broker == p.Leader {
			return refuse(kerr.InvalidRequest, "broker %d leads", broker)
		}
		m.control.setISR(p, without(p.ISR, broker))
		return nil
	})
}

// Write sets the rate at which producers write to a partition.
func (c *Cluster) Write(tp plan.TopicPartition, bytesPerSec int64) error {
	return c.onPartition(tp, func(m *model, p *partition) *refusal {
		p.rate = float64(bytesPerSec)
		m.touched(p)
		return nil
	})
}

// FailDir takes a log dir offline while its broker goes on.
func (c *Cluster) FailDir(id int32, path string) error {
	return c.act(func(m *model) *refusal {
		b := m.brokers[id]
		if b == nil || b.dir(path) == nil {
			return refuse(kerr.LogDirNotFound, "broker %d has no %s", id, path)
		}
		m.failDir(b, b.dir(path))
		return nil
	})
}

// AddStrayLog puts a log on a broker that no replica list places there.
func (c *Cluster) AddStrayLog(id int32, tp plan.TopicPartition, bytes int64) error {
	return c.act(func(m *model) *refusal {
		b := m.brokers[id]
		if b == nil || len(b.dirs) == 0 {
			return refuse(kerr.BrokerIDNotRegistered, "broker %d", id)
		}
		p := m.partition(tp.Topic, tp.Partition)
		if p == nil {
			p = &partition{topic: &topic{name: tp.Topic}, number: tp.Partition}
		}
		b.keep(p, &diskLog{dir: b.dirs[0], bytes: float64(bytes), stray: true})
		return nil
	})
}

// FailVoter takes a controller down, or lets it come back.
func (c *Cluster) FailVoter(id int32, down bool) error {
	return c.act(func(m *model) *refusal {
		for i, v := range m.quorum.Voters {
			if v.ID == id {
				m.quorum.Voters[i].Down = down
				return nil
			}
		}
		return refuse(kerr.VoterNotFound, "voter %d", id)
	})
}

func (c *Cluster) onPartition(tp plan.TopicPartition, f func(*model, *partition) *refusal) error {
	return c.act(func(m *model) *refusal {
		p := m.partition(tp.Topic, tp.Partition)
		if p == nil {
			return refuse(kerr.UnknownTopicOrPartition, "%v", tp)
		}
		return f(m, p)
	})
}

func (c *Cluster) onTopic(name string, f func(*model, *topic) *refusal) error {
	return c.act(func(m *model) *refusal {
		t := m.topics[name]
		if t == nil {
			return refuse(kerr.UnknownTopicOrPartition, "%s", name)
		}
		return f(m, t)
	})
}

// act makes an error of Kafka's refusal: it wraps the kerr.Error.
func (c *Cluster) act(f func(*model) *refusal) error {
	var no *refusal
	c.do(func(m *model) { no = f(m) })
	if no == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", kerr.ErrorForCode(no.code), no.text)
}
