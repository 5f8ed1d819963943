package executor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drain/plan"
	"drain/reassign"
)

// Orphans are what a drain has left on a cluster whose journal is lost, as far
// as it can be told from what a drain of these brokers does.
type Orphans struct {
	Brokers []int32
	Moves   []plan.Move     // in flight, away from the brokers; Before is how the lists most likely were
	Debts   []reassign.Debt // settings that fit; what stood there before is not known
	Alone   []string        // what may be of a drain and may be somebody else's, and why it is left alone
}

// Empty says that nothing is to be given back.
func (o Orphans) Empty() bool { return len(o.Moves)+len(o.Debts) == 0 }

// orphansOf decides what fits a drain of the brokers: moves in flight that take
// a replica off them, throttled-replica lists as far as they name partitions of
// such moves, rates where nothing else is throttled, and their cordons. It is
// pure. The configs are those of the brokers.
func orphansOf(c *plan.Cluster, configs []reassign.ResourceConfig, drained []int32) Orphans {
	f := finder{c: c, drained: drained, ours: map[plan.TopicPartition]bool{}, busy: map[int32]string{}, found: Orphans{Brokers: drained}}
	for i := range c.NumPartitions() {
		f.move(i)
	}
	for _, t := range c.Topics {
		f.lists(t)
	}
	f.minISR()
	for _, config := range configs {
		f.rates(config)
		f.cordon(config)
	}
	return f.found
}

// finder collects orphans.
type finder struct {
	c       *plan.Cluster
	drained []int32
	ours    map[plan.TopicPartition]bool // partitions whose list entries fit
	busy    map[int32]string             // brokers on which something stays throttled, and what
	at      []int32                      // brokers of our partitions
	found   Orphans
}

func (f *finder) alone(format string, args ...any) {
	f.found.Alone = append(f.found.Alone, fmt.Sprintf(format, args...))
}

// move takes a reassignment that replaces replicas on the drained brokers, and
// no others, one for one.
func (f *finder) move(i int) {
	p, name := f.c.Partition(i), f.c.Name(i)
	leaving := slices.DeleteFunc(slices.Clone(p.Removing), func(id int32) bool { return !slices.Contains(f.drained, id) })
	switch {
	case len(leaving) == 0:
	case len(leaving) < len(p.Removing):
		f.alone("the move of %v takes replicas off other brokers too: it removes %v", name, p.Removing)
	case len(p.Adding) != len(p.Removing):
		f.alone("the move of %v changes its number of replicas", name)
	case slices.ContainsFunc(p.Adding, func(id int32) bool { return slices.Contains(f.drained, id) }):
		f.alone("the move of %v puts a replica on %s too", name, plan.BrokerNames(f.drained))
	default:
		f.ours[name] = true
		f.at = union(f.at, p.Replicas)
		f.found.Moves = append(f.found.Moves, moveOff(f.c, p, name))
	}
}

// moveOff is the move that is in flight. Kafka forgets the order that the list
// had; a drain puts each new replica where the old one was.
func moveOff(c *plan.Cluster, p plan.PartitionView, name plan.TopicPartition) plan.Move {
	after := without(p.Replicas, p.Removing)
	before := slices.Clone(after)
	for i, id := range p.Adding {
		before[slices.Index(before, id)] = p.Removing[i]
	}
	return plan.Move{
		TopicPartition: name, TopicID: c.Topics[p.Topic].ID, Before: before, After: after,
		From: slices.Clone(p.Removing), To: slices.Clone(p.Adding),
		Leader: p.Leader, LeadsDuring: plan.NoLeader, LeadsFirst: after[0],
	}
}

// lists takes the entries of our partitions out of a topic's throttled-replica
// lists. What stays there keeps its brokers busy.
func (f *finder) lists(t plan.Topic) {
	f.idle(t)
	for _, key := range listKeys {
		var fit, rest []string
		for _, entry := range reassign.ParseList(t.Configs[key]) {
			number, broker, ok := reassign.ParseEntry(entry)
			if !ok || !f.ours[plan.TopicPartition{Topic: t.Name, Partition: number}] {
				f.keepBusy(t, entry)
				rest = append(rest, entry)
				continue
			}
			fit = append(fit, entry)
			f.at = union(f.at, []int32{broker})
		}
		if len(fit) > 0 {
			f.found.Debts = append(f.found.Debts, reassign.Debt{Resource: reassign.OfTopic(t.Name), Key: key, Entries: fit})
		}
		if len(rest) > 0 {
			f.alone("topic %s: %s=%s, since nothing tells that it is of a drain", t.Name, key, strings.Join(rest, ","))
		}
	}
}

var listKeys = []string{reassign.LeaderList, reassign.FollowerList}

// idle finds partitions whose move is over or was never begun: nothing is in
// flight, the lists name a drained broker, and one without a replica.
func (f *finder) idle(t plan.Topic) {
	drained, absent := map[int32]bool{}, map[int32]bool{}
	for _, key := range listKeys {
		for _, entry := range reassign.ParseList(t.Configs[key]) {
			number, broker, ok := reassign.ParseEntry(entry)
			i, there := f.c.Find(plan.TopicPartition{Topic: t.Name, Partition: number})
			if !ok || !there || f.c.Partition(i).InFlight() {
				continue
			}
			drained[number] = drained[number] || slices.Contains(f.drained, broker)
			absent[number] = absent[number] || !f.c.Partition(i).Holds(broker)
		}
	}
	for number := range drained {
		if drained[number] && absent[number] {
			f.ours[plan.TopicPartition{Topic: t.Name, Partition: number}] = true
		}
	}
}

// keepBusy notes whom an entry throttles that is left alone: their rates serve
// it. One that is no partition and broker is "*", which stands for all.
func (f *finder) keepBusy(t plan.Topic, entry string) {
	if _, broker, ok := reassign.ParseEntry(entry); ok {
		f.busy[broker] = t.Name
		return
	}
	for i := t.First; i < t.First+t.Count; i++ {
		for _, id := range f.c.Partition(i).Replicas {
			f.busy[id] = t.Name
		}
	}
}

// minISR names overrides that may be of a drain: it lowers a minimum to the
// number of replicas while it moves them. What was there before nobody knows, so
// that they are a person's to mend.
func (f *finder) minISR() {
	var topics []string
	for _, t := range f.c.Topics {
		value, _ := strconv.Atoi(t.Configs[reassign.MinISR])
		for i := t.First; i < t.First+t.Count && value > 0 && value < f.c.MinISRDefault; i++ {
			if p := f.c.Partition(i); value == len(p.Replicas)-len(p.Adding) {
				topics = append(topics, t.Name)
				break
			}
		}
	}
	if len(topics) > 0 {
		f.alone("%s of topics with as few replicas, which a drain lowers while it moves them; delete it where it was not there before: %s",
			reassign.MinISR, firstOf(topics))
	}
}

// firstOf is a list that may be long, in words.
func firstOf(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// rates takes the rates off a broker that has a part in our moves, if nothing
// else is throttled there.
func (f *finder) rates(config reassign.ResourceConfig) {
	id := config.Broker()
	for _, key := range []string{reassign.LeaderRate, reassign.FollowerRate} {
		value, set := config.At(key, reassign.DynamicBroker)
		topic, busy := f.busy[id]
		switch {
		case !set:
		case busy:
			f.alone("broker %d: %s=%s, since replicas of topic %s are throttled there", id, key, value, topic)
		case !slices.Contains(f.at, id) && !slices.Contains(f.drained, id):
			f.alone("broker %d: %s=%s, since no move away from %s has a part there", id, key, value, plan.BrokerNames(f.drained))
		default:
			f.found.Debts = append(f.found.Debts, reassign.Debt{Resource: config.Resource, Key: key, Set: value})
		}
	}
}

// cordon takes a cordon off a drained broker. One of some log dirs only is not
// a drain's.
func (f *finder) cordon(config reassign.ResourceConfig) {
	id := config.Broker()
	value, set := config.At(reassign.CordonedDirs, reassign.DynamicBroker)
	switch {
	case !set || !slices.Contains(f.drained, id):
	case value != everyDir:
		f.alone("broker %d: %s=%s, since a drain cordons all log dirs", id, reassign.CordonedDirs, value)
	default:
		f.found.Debts = append(f.found.Debts, reassign.Debt{Resource: config.Resource, Key: reassign.CordonedDirs, Set: value})
	}
}
