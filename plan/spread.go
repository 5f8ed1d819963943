package plan

import "math"

// spread counts the replicas of each topic that has something to move, broker
// by broker, so that a topic does not pile up on one.
//
// What is counted in full is a row of numbers, a few kilobytes in a large
// cluster. Most topics have so few replicas that whether a broker has one is all
// that is ever asked; they get a row of bits, which stays in the cache, and are
// counted when somebody wants to know more.
type spread struct {
	s      *survey
	topics []int32    // by row
	rows   [][]uint16 // nil while not counted
	words  int        // of a row of bits
	some   []uint64   // rows of bits: a count is over 0
	total  []int32    // by row: replicas of the topic
	fair   []int32    // by row: the same over eligible brokers, rounded up

	racks  int
	levels []levels // a row of racks for each topic
}

// levels tells how many eligible brokers of a rack have how many replicas of a
// topic. It is nil until somebody asks.
type levels struct{ brokers []int32 } // by number of replicas

// newSpread gives each topic of the tasks a row and counts it.
func newSpread(d *drain) spread {
	p := spread{s: d.survey, words: (len(d.nodes) + 63) / 64, racks: len(d.racks), topics: d.number()}
	eligible := 0
	for _, r := range d.racks {
		eligible += len(r.eligible) + len(r.unknown)
	}
	n := len(p.topics)
	p.rows, p.some = make([][]uint16, n), make([]uint64, n*p.words)
	p.levels = make([]levels, n*p.racks)
	p.total, p.fair = make([]int32, n), make([]int32, n)
	for row := range int32(n) {
		p.total[row] = int32(len(p.replicas(row)))
		p.fair[row] = (p.total[row] + int32(eligible) - 1) / int32(max(1, eligible))
		p.mark(row)
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

// replicas are those of the topic, partition by partition.
func (p *spread) replicas(topic int32) []int32 {
	ps, t := &p.s.c.partitions, &p.s.c.Topics[p.topics[topic]]
	return ps.replicas[ps.offset[t.First]:ps.offset[t.First+t.Count]]
}

// mark sets the bits of a topic.
func (p *spread) mark(topic int32) {
	some := p.some[int(topic)*p.words:]
	for _, id := range p.replicas(topic) {
		if at := p.s.index.of(id); at >= 0 {
			some[at>>6] |= 1 << (at & 63)
		}
	}
}

// row is the topic's count by node, made if there is none yet. Slots placed
// until then are on nodes that had none: else it would have been made.
func (p *spread) row(topic int32) []uint16 {
	if p.rows[topic] != nil {
		return p.rows[topic]
	}
	row := make([]uint16, len(p.s.nodes))
	for _, id := range p.replicas(topic) {
		if at := p.s.index.of(id); at >= 0 && row[at] < math.MaxUint16 {
			row[at]++
		}
	}
	for at := range row {
		if row[at] == 0 && p.has(topic, int32(at)) {
			row[at] = 1
		}
	}
	p.rows[topic] = row
	return row
}

func (p *spread) has(topic, at int32) bool {
	return p.some[int(topic)*p.words+int(at>>6)]&(1<<(at&63)) != 0
}

// count is the number of replicas of the topic on a node.
func (p *spread) count(topic, at int32) int32 {
	if p.rows[topic] == nil && !p.has(topic, at) {
		return 0
	}
	return int32(p.row(topic)[at])
}

// over says that a node has more replicas of the topic than the level.
func (p *spread) over(topic, at, level int32) bool {
	if level == 0 {
		return p.has(topic, at)
	}
	return int32(p.row(topic)[at]) > level
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
	word, bit := &p.some[int(topic)*p.words+int(at>>6)], uint64(1)<<(at&63)
	if p.rows[topic] == nil && by > 0 && *word&bit != 0 {
		p.row(topic)
	}
	if p.rows[topic] == nil {
		*word ^= bit
		return
	}
	n := &p.rows[topic][at]
	if *n == math.MaxUint16 {
		return
	}
	l := &p.levels[int(topic)*p.racks+int(r)]
	counted := l.brokers != nil && !p.s.nodes[at].unknown // levels are of brokers of known space
	if counted {
		l.leave(*n)
	}
	*n = uint16(int(*n) + by)
	if *word |= bit; *n == 0 {
		*word &^= bit
	}
	if counted {
		l.join(*n)
	}
}
