package simkafka

import (
	"math"
	"slices"
)

// keep puts a log on the broker's disks, in place of one that is there.
func (b *broker) keep(p *partition, log *diskLog) {
	b.drop(p)
	b.logs[p] = log
	log.dir.logs++
}

// drop takes a log off the broker's disks, if it is there.
func (b *broker) drop(p *partition) {
	if log := b.logs[p]; log != nil {
		log.dir.logs--
		delete(b.logs, p)
	}
}

// erase takes a log off the broker's disks as Kafka does: it is renamed and in no
// answer any more, and its bytes are free once file.delete.delay.ms is over
// (LogManager.asyncDelete).
func (m *model) erase(b *broker, p *partition) {
	log := b.logs[p]
	if log == nil {
		return
	}
	bytes := m.logSize(b, p)
	b.drop(p)
	log.dir.erasing += bytes
	m.after(m.timing.Erase, func() { log.dir.erasing -= bytes })
}

func (log *diskLog) moveTo(d *dir) {
	log.dir.logs--
	log.dir = d
	d.logs++
}

func (m *model) log(p *partition, id int32) *diskLog {
	if b := m.brokers[id]; b != nil {
		return b.logs[p]
	}
	return nil
}

// makeLog creates the log of a replica whose broker runs, in the dir named
// beforehand, else in the online one with the fewest logs, cordoned ones last
// (LogManager.nextLogDirs).
func (m *model) makeLog(p *partition, id int32) {
	b := m.brokers[id]
	if b == nil || !b.running || b.logs[p] != nil || len(b.dirs) == 0 {
		return
	}
	to := b.named[p.name()]
	if to == nil {
		to = m.nextDir(b)
	}
	b.keep(p, &diskLog{dir: to})
}

func (m *model) nextDir(b *broker) *dir {
	rank := func(d *dir) [3]int {
		return [3]int{bit(d.offline), bit(m.cordonedDir(b, d)), d.logs}
	}
	return slices.MinFunc(b.dirs, func(x, y *dir) int {
		rx, ry := rank(x), rank(y)
		return slices.Compare(rx[:], ry[:])
	})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// logSize is the length of a log: the leader's where the replica is in sync.
func (m *model) logSize(b *broker, p *partition) int64 {
	log := b.logs[p]
	if slices.Contains(p.ISR, b.id) && b.running && !log.stray {
		return int64(math.Round(p.bytes))
	}
	return int64(math.Round(log.bytes))
}

// usable is what is left of a volume.
func (m *model) usable(b *broker, d *dir) int64 {
	left := d.total - d.other - d.erasing
	for p, log := range b.logs {
		if log.dir == d {
			left -= m.logSize(b, p)
		}
	}
	return max(0, left)
}
