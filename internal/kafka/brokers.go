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
	dirs     []kmsg.DescribeLogDirsResponseDir
	counts   map[string]int // logs by dir, where they were counted
	apis     *kmsg.ApiVersionsResponse
	settings reassign.ResourceConfig
	err      error // why dirs is nil
}

// size of a partition on disk: of the leader's log, else of the largest known.
type size struct{ leader, largest int64 }

func (s size) bytes() int64 {
	if s.leader >= 0 {
		return s.leader
	}
	return s.largest
}

// readFenced reads the brokers that are registered without a heartbeat, which
// only clusters from 4.0 on tell (KIP-1073).
func (p *picture) readFenced(ctx context.Context) error {
	if maxVersion(p.apis, kmsg.DescribeCluster) < 2 {
		return nil
	}
	req := kmsg.NewPtrDescribeClusterRequest()
	req.IncludeFencedBrokers = true
	answer, err := p.client.askBroker(ctx, p.via, req)
	if err != nil {
		return fmt.Errorf("describe cluster: %w", err)
	}
	resp := answer.(*kmsg.DescribeClusterResponse)
	if err := fault(resp.ErrorCode, resp.ErrorMessage); err != nil {
		return fmt.Errorf("describe cluster: %w", err)
	}
	for _, b := range resp.Brokers {
		alive := slices.ContainsFunc(p.meta.Brokers, func(m kmsg.MetadataResponseBroker) bool { return m.NodeID == b.NodeID })
		if b.IsFenced && !alive {
			p.fenced = append(p.fenced, b)
		}
	}
	return nil
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
		var only []kmsg.DescribeLogDirsRequestTopic // every log
		if !p.drained(id) {
			only = logsOf(led[id])
		}
		p.accounts[i] = p.client.interview(ctx, id, only)
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
}

// ledElsewhere lists by leader the partitions that a drained broker holds and
// another one leads: the size that counts is the leader's.
func (p *picture) ledElsewhere() map[int32][]plan.TopicPartition {
	led := map[int32][]plan.TopicPartition{}
	for name, topic := range p.topics {
		for _, part := range topic.Partitions {
			if part.Leader >= 0 && slices.ContainsFunc(part.Replicas, p.drained) {
				led[part.Leader] = append(led[part.Leader], plan.TopicPartition{Topic: name, Partition: part.Partition})
			}
		}
	}
	return led
}

// interview asks a broker for its logs, its versions and the settings that a
// topic falls back to. One that is silent is not asked again.
func (c *Client) interview(ctx context.Context, broker int32, only []kmsg.DescribeLogDirsRequestTopic) account {
	a := account{broker: broker}
	a.settings.Resource = reassign.OfBroker(broker)
	if a.apis, a.err = c.versions(ctx, broker); a.err != nil {
		a.settings.Err = a.err
		return a
	}
	a.dirs, a.err = c.logDirs(ctx, broker, only)
	if only != nil && len(a.dirs) > 1 {
		a.counts = c.countLogs(ctx, broker)
	}
	a.settings = c.describe(ctx, routed[reassign.Resource]{broker, []reassign.Resource{a.settings.Resource}}, fallbackKeys)[0]
	return a
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

func (p *picture) noteAccount(a account) {
	level, without := plan.Warn, "its free space is unknown"
	if p.drained(a.broker) {
		level, without = plan.Block, "topics that this login may not describe would go unseen"
	}
	switch {
	case errors.Is(a.err, ErrAuthorization) && level == plan.Warn:
		p.noteOnce(level, "broker-unread", "the log dirs of brokers can not be read: free space is unknown", "grant DESCRIBE on the cluster to this login")
	case errors.Is(a.err, ErrAuthorization):
		p.note(level, "broker-unread", "", a.broker, fmt.Sprintf("%v: %s", a.err, without), "grant DESCRIBE on the cluster to this login")
	case a.err != nil:
		p.note(level, "broker-unread", "", a.broker, fmt.Sprintf("did not answer: %v: %s", a.err, without), "mend or stop the broker, and try again")
	}
	if a.err == nil && a.settings.Err != nil {
		p.noteOnce(plan.Warn, "configs-unread", "settings of brokers can not be read: "+a.settings.Err.Error(), "grant DESCRIBE_CONFIGS on the cluster to this login")
	}
	for _, dir := range a.dirs {
		if dir.ErrorCode != 0 && p.drained(a.broker) {
			p.note(plan.Warn, "log-dir-offline", "", a.broker, fmt.Sprintf("log dir %s: %v: the logs in it can not be listed", dir.Dir, fault(dir.ErrorCode, nil)),
				"compare with the replica lists before the disk is thrown away")
		}
	}
}

// addBrokers hands the brokers to the builder.
func (p *picture) addBrokers(b *plan.Builder) {
	counts := p.replicaCounts()
	for _, m := range p.meta.Brokers {
		broker := plan.Broker{
			ID: m.NodeID, Rack: words(m.Rack), Host: m.Host, Port: m.Port,
			CapacityBytes: plan.Unknown, UsableBytes: plan.Unknown,
		}
		i, ok := slices.BinarySearchFunc(p.accounts, m.NodeID, func(a account, id int32) int { return cmp.Compare(a.broker, id) })
		if ok && p.accounts[i].err == nil {
			a := p.accounts[i]
			broker.LogDirs = a.logDirs(p.drained(m.NodeID), counts[m.NodeID])
			broker.CapacityBytes, broker.UsableBytes = volumes(broker.LogDirs)
			broker.Cordoned = cordoned(a.dirs)
		}
		b.Broker(broker)
	}
	for _, f := range p.fenced {
		b.Broker(plan.Broker{
			ID: f.NodeID, Rack: words(f.Rack), Host: f.Host, Port: f.Port, State: plan.Fenced,
			CapacityBytes: plan.Unknown, UsableBytes: plan.Unknown,
		})
	}
}

// replicaCounts counts the replicas of each broker in the lists.
func (p *picture) replicaCounts() map[int32]int {
	counts := map[int32]int{}
	for _, topic := range p.topics {
		for _, part := range topic.Partitions {
			for _, r := range part.Replicas {
				counts[r]++
			}
		}
	}
	return counts
}

// logDirs translates the log dirs, sorted by path. A broker with a single dir
// has all its replicas in it.
func (a account) logDirs(full bool, replicas int) []plan.LogDir {
	dirs := make([]plan.LogDir, len(a.dirs))
	for i, dir := range a.dirs {
		dirs[i] = plan.LogDir{
			Path: dir.Dir, TotalBytes: dir.TotalBytes, UsableBytes: dir.UsableBytes,
			Offline: dir.ErrorCode != 0, Replicas: a.counts[dir.Dir],
		}
		switch {
		case full:
			dirs[i].Replicas = len(logsIn(dir))
		case len(a.dirs) == 1:
			dirs[i].Replicas = replicas
		}
	}
	slices.SortFunc(dirs, func(x, y plan.LogDir) int { return cmp.Compare(x.Path, y.Path) })
	return dirs
}

// volumes sums up the volumes under the log dirs that work. Dirs of equal
// total and usable bytes may share a volume, so they count once. A broker older
// than DescribeLogDirs v4 tells nothing (KIP-827): Unknown.
func volumes(dirs []plan.LogDir) (total, usable int64) {
	type volume struct{ total, usable int64 }
	seen := map[volume]bool{}
	for _, dir := range dirs {
		v := volume{dir.TotalBytes, dir.UsableBytes}
		if dir.Offline || seen[v] {
			continue
		}
		if v.total < 0 || v.usable < 0 {
			return plan.Unknown, plan.Unknown
		}
		seen[v] = true
		total += v.total
		usable += v.usable
	}
	if len(seen) == 0 {
		return plan.Unknown, plan.Unknown
	}
	return total, usable
}

// sizes gathers the sizes that the brokers told.
func (p *picture) sizes() map[plan.TopicPartition]size {
	sizes := map[plan.TopicPartition]size{}
	for _, a := range p.accounts {
		for _, dir := range a.dirs {
			for _, log := range logsIn(dir) {
				if log.Future {
					continue
				}
				s, ok := sizes[log.TopicPartition]
				if !ok {
					s.leader = plan.Unknown
				}
				s.largest = max(s.largest, log.SizeBytes)
				if part := p.topics.partition(log.TopicPartition); part != nil && part.Leader == a.broker {
					s.leader = log.SizeBytes
				}
				sizes[log.TopicPartition] = s
			}
		}
	}
	return sizes
}
