package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
	"drain/reassign"
)

// account is what a broker says of itself.
type account struct {
	broker   int32
	apis     *kmsg.ApiVersionsResponse // nil if it is silent
	settings reassign.ResourceConfig   // those that a topic falls back to
	dirs     []kmsg.DescribeLogDirsResponseDir
	counts   map[string]int // logs by dir, where they were counted
	err      error          // why dirs is nil, where it was asked for
}

// readBrokers asks each live broker about itself, a few at once, and notes who
// did not answer.
func (p *picture) readBrokers(ctx context.Context) {
	led := p.ledElsewhere()
	ids := make([]int32, len(p.meta.Brokers))
	for i, b := range p.meta.Brokers {
		ids[i] = b.NodeID
	}
	slices.Sort(ids)
	p.accounts = make([]account, len(ids))
	each(ids, func(i int, id int32) {
		switch {
		case p.drained(id), p.scope.Space && p.scope.Sizes:
			p.accounts[i] = p.client.interview(ctx, id, nil)
		case p.scope.Space:
			p.accounts[i] = p.client.interview(ctx, id, logsOf(led[id]))
		default:
			p.accounts[i] = p.client.recall(ctx, id)
		}
	})
	for _, a := range p.accounts {
		p.noteAccount(a)
	}
	for _, id := range p.scope.Brokers {
		if !slices.Contains(ids, id) {
			p.note(plan.Warn, "broker-unread", "", id,
				"the broker is not alive, so its log dirs were not read: topics that this login may not describe would go unseen",
				"start the broker, or make sure that the login may describe all topics")
		}
	}
	p.noteFirstUse()
}

// accountOf is empty for a broker that was not asked.
func (p *picture) accountOf(broker int32) account {
	i, ok := slices.BinarySearchFunc(p.accounts, broker, func(a account, id int32) int { return cmp.Compare(a.broker, id) })
	if !ok {
		return account{broker: broker}
	}
	return p.accounts[i]
}

// ledElsewhere lists by leader the partitions that a drained broker holds and
// another one leads: the size that counts is the leader's.
func (p *picture) ledElsewhere() map[int32][]plan.TopicPartition {
	led := map[int32][]plan.TopicPartition{}
	for name, topic := range p.topics {
		for _, part := range topic.Partitions {
			if part.Leader >= 0 && p.onDrained(part) {
				led[part.Leader] = append(led[part.Leader], plan.TopicPartition{Topic: name, Partition: part.Partition})
			}
		}
	}
	return led
}

// interview asks a broker for its versions, its settings and its logs: all if
// only is nil. One that is silent is not asked again.
func (c *Client) interview(ctx context.Context, broker int32, only []kmsg.DescribeLogDirsRequestTopic) account {
	a := c.introduce(ctx, broker)
	if a.apis == nil {
		a.err = a.settings.Err
		return a
	}
	a.dirs, a.err = c.logDirs(ctx, broker, only)
	if only != nil && len(a.dirs) > 1 {
		a.counts = c.countLogs(ctx, broker)
	}
	return a
}

// recall is what a broker said before, or says now if it was never asked: its
// release and its static settings change with a restart at most. One that was
// silent is not waited for again until the next interview.
func (c *Client) recall(ctx context.Context, broker int32) account {
	c.mu.Lock()
	a, ok := c.told[broker]
	c.mu.Unlock()
	if ok {
		return a
	}
	return c.introduce(ctx, broker)
}

func (c *Client) introduce(ctx context.Context, broker int32) account {
	self := reassign.OfBroker(broker)
	a := account{broker: broker}
	apis, err := c.versions(ctx, broker)
	if err != nil {
		a.settings = reassign.ResourceConfig{Resource: self, Err: err}
	} else {
		a.apis = apis
		a.settings = c.describe(ctx, routed[reassign.Resource]{broker, []reassign.Resource{self}}, slices.Concat(rateKeys, fallbackKeys, factorKeys))[0]
	}
	if ctx.Err() == nil {
		c.mu.Lock()
		c.told[broker] = a
		c.mu.Unlock()
	}
	return a
}

// noteSecretRates names the throttle rates whose value the broker does not tell, as
// 2.4 does not: a plan that replaces them could not give them back.
func (p *picture) noteSecretRates(a account) {
	for _, key := range rateKeys {
		if p.scope.Space && a.settings.Hides(key, reassign.DynamicBroker) {
			p.note(plan.Block, "hidden-throttle", "", a.broker, key+" is set, and the broker does not tell its value: it could not be given back",
				"delete it with kafka-configs first, or accept the risk: it is then deleted after the moves")
			p.notes[len(p.notes)-1].Key = key
		}
	}
}

// countLogs counts the logs in each dir of a broker that has several: a new one
// goes where there are fewest (LogManager.nextLogDirs). Nil if it can not.
func (c *Client) countLogs(ctx context.Context, broker int32) map[string]int {
	dirs, err := c.logDirs(ctx, broker, nil)
	if err != nil {
		return nil
	}
	counts := map[string]int{}
	for _, dir := range dirs {
		counts[dir.Dir] = len(logsIn(dir))
	}
	return counts
}

// noteAccount names what an account lacks. Of a drained broker everything
// counts, as proof that nothing is left on it; of others it is space.
func (p *picture) noteAccount(a account) {
	const right = "grant DESCRIBE and DESCRIBE_CONFIGS on the cluster to this login"
	level, without := plan.Warn, "its free space is unknown"
	if p.drained(a.broker) {
		level, without = plan.Block, "topics that this login may not describe would go unseen"
	}
	switch {
	case errors.Is(a.err, ErrAuthorization) && level == plan.Warn:
		p.noteOnce(level, "broker-unread", "the log dirs of brokers can not be read: their free space is unknown", right)
	case errors.Is(a.err, ErrAuthorization):
		p.note(level, "broker-unread", "", a.broker, fmt.Sprintf("%v: %s", a.err, without), right)
	case a.err != nil:
		p.note(level, "broker-unread", "", a.broker, fmt.Sprintf("did not answer: %v: %s", a.err, without), "mend or stop the broker, and try again")
	case errors.Is(a.settings.Err, ErrAuthorization):
		p.noteOnce(plan.Warn, "configs-unread", "the settings of brokers can not be read: "+a.settings.Err.Error(), right)
	case a.settings.Err != nil:
		p.note(plan.Warn, "configs-unread", "", a.broker, a.settings.Err.Error(), "mend or stop the broker, and try again")
	}
	p.noteSecretRates(a)
	for _, dir := range a.dirs {
		if dir.ErrorCode != 0 && p.drained(a.broker) {
			p.note(plan.Warn, "log-dir-offline", "", a.broker, fmt.Sprintf("log dir %s: %v: the logs in it can not be listed", dir.Dir, fault(dir.ErrorCode, nil)),
				"compare with the replica lists before the disk is thrown away")
		}
	}
}
