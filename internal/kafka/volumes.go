package kafka

import (
	"cmp"
	"slices"

	"drain/plan"
)

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

// size of a partition on disk: of the leader's log, else of the largest known.
type size struct{ leader, largest int64 }

func (s size) bytes() int64 {
	if s.leader >= 0 {
		return s.leader
	}
	return s.largest
}

// sizes gathers the sizes that the brokers told.
func (p *picture) sizes() map[plan.TopicPartition]size {
	sizes := map[plan.TopicPartition]size{}
	for _, a := range p.accounts {
		for _, dir := range a.dirs {
			for _, log := range logsIn(dir) {
				if !log.future {
					p.keepSize(sizes, a.broker, log)
				}
			}
		}
	}
	return sizes
}

func (p *picture) keepSize(sizes map[plan.TopicPartition]size, broker int32, log logEntry) {
	s, ok := sizes[log.TopicPartition]
	if !ok {
		s.leader = plan.Unknown
	}
	s.largest = max(s.largest, log.bytes)
	if part := p.topics.partition(log.TopicPartition); part != nil && part.Leader == broker {
		s.leader = log.bytes
	}
	sizes[log.TopicPartition] = s
}
