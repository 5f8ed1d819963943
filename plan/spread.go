package plan

import "math"

// spread counts the replicas of each topic that has something to move, broker
// by broker, so that a topic does not pile up on one.
type spread struct {
	width int      // nodes
	count []uint16 // a row of nodes for each topic
	words int
	some  []uint64 // the same rows, a bit for a count over 0: small enough to stay in the cache
	total []int32  // by row: replicas of the topic
	fair  []int32  // by row: the same over eligible brokers, rounded up

	racks  int
	levels []levels // a row of racks for each topic
}

// levels tells how many eligible brokers of a rack have how many replicas of a
// topic. It is nil until somebody asks.
type levels struct{ brokers []int32 } // by number of replicas

// newSpread gives each topic of the tasks a row and counts it.
func newSpread(d *drain) spread {
	p := spread{width: len(d.nodes), words: (len(d.nodes) + 63) / 64, racks: len(d.racks)}
	eligible := 0
	for _, r := range d.racks {
		eligible += len(r.eligible) + len(r.unknown)
	}
	topics := d.number()
	p.count = make([]uint16, len(topics)*p.width)
	p.some = make([]uint64, len(topics)*p.words)
	p.levels = make([]levels, len(topics)*p.racks)
	p.total, p.fair = make([]int32, len(topics)), make([]int32, len(topics))
	for row, topic := range topics {
		p.total[row] = p.add(d.survey, int32(row), int(topic))
		p.fair[row] = (p.total[row] + int32(eligible) - 1) / int32(max(1, eligible))
	}
	return p
}

// number tells each slot the row of its topic, and returns the topics by row. The
// tasks are still in the order of the cluster.
func (d *drain) number() []int32 {
	var topics []int32
	for i := range d.tasks {
		t := &d.tasks[i]
		if topic := d.c.partitions.topic[t.partition]; len(topics) == 0 || topic != topics[len(topics)-1] {
			topics = append(topics, topic)
		}
		slots := d.slotsOf(t)
		for k := range slots {
			slots[k].topic = int32(len(topics) - 1)
		}
	}
	return topics
}

// add counts the replicas of a topic into its row.
func (p *spread) add(s *survey, row int32, topic int) int32 {
	ps := &s.c.partitions
	first, end := s.c.Topics[topic].First, s.c.Topics[topic].First+s.c.Topics[topic].Count
	list, counts, some := ps.replicas[ps.offset[first]:ps.offset[end]], p.row(row), p.some[int(row)*p.words:]
	for _, id := range list {
		if at := s.index.of(id); at >= 0 && counts[at] < math.MaxUint16 {
			counts[at]++
			some[at>>6] |= 1 << (at & 63)
		}
	}
	return int32(len(list))
}

// isThin says that the topic has so few replicas that most brokers of the rack
// have none, without counting them.
func (p *spread) isThin(topic int32, rack *rack) bool {
	return int(p.total[topic])*2 < len(rack.eligible)
}

// levelsIn counts the levels of a topic in a rack.
func (p *spread) levelsIn(topic, r int32, rack *rack) *levels {
	l := &p.levels[int(topic)*p.racks+int(r)]
	if l.brokers == nil {
		row, none := p.row(topic), 0
		l.brokers = make([]int32, 1, 8)
		for _, at := range rack.eligible {
			if row[at] == 0 { // as on most brokers, of most topics
				none++
			} else {
				l.join(row[at])
			}
		}
		l.brokers[0] = int32(none)
	}
	return l
}

func (l *levels) join(count uint16) {
	for len(l.brokers) <= int(count) {
		l.brokers = append(l.brokers, 0)
	}
	l.brokers[count]++
}

func (l *levels) leave(count uint16) { l.brokers[count]-- }

// on counts the brokers on a level.
func (l *levels) on(level int) int {
	if level >= len(l.brokers) {
		return 0
	}
	return int(l.brokers[level])
}

// upTo counts the brokers on a level and below.
func (l *levels) upTo(level int) int {
	n := 0
	for i := range min(level+1, len(l.brokers)) {
		n += int(l.brokers[i])
	}
	return n
}

// change counts one replica more or, with by -1, one fewer. A topic with 65,535
// replicas on one broker is past being balanced, and stays there.
func (p *spread) change(topic, at, r int32, by int) {
	n := &p.row(topic)[at]
	if *n == math.MaxUint16 {
		return
	}
	l := &p.levels[int(topic)*p.racks+int(r)]
	if l.brokers != nil {
		l.leave(*n)
	}
	*n = uint16(int(*n) + by)
	word, bit := &p.some[int(topic)*p.words+int(at>>6)], uint64(1)<<(at&63)
	if *word |= bit; *n == 0 {
		*word &^= bit
	}
	if l.brokers != nil {
		l.join(*n)
	}
}

// over says that a node has more replicas of the topic than the level.
func (p *spread) over(topic, at, level int32) bool {
	if level == 0 {
		return p.some[int(topic)*p.words+int(at>>6)]&(1<<(at&63)) != 0
	}
	return int32(p.count[int(topic)*p.width+int(at)]) > level
}

func (p *spread) row(topic int32) []uint16 {
	return p.count[int(topic)*p.width : (int(topic)+1)*p.width]
}
