package plan

import "math"

// spread counts the replicas of each topic that has something to move, broker
// by broker, so that a topic does not pile up on one.
//
// What is counted in full is a row of numbers, a few kilobytes in a large
// cluster. Of most topics whether a broker has a replica is all that is ever
// asked, since the next one goes to a broker without; that is a row of bits,
// which stays in the cache. A topic is counted when somebody wants to know more.
type spread struct {
	s      *survey
	topics []int32    // by row
	rows   [][]uint16 // nil while not counted
	words  int        // of a row of bits
	some   []uint64   // rows of bits: a count is over 0
	lows   map[lowKey]*low
	can    []uint64 // rows of bits, by rack: its eligible nodes
	total  []int32  // by row: replicas of the topic
	fair   []int32  // by row: the same over eligible brokers, rounded up
}

// newSpread gives each topic of the tasks a row and counts it.
func newSpread(d *drain) spread {
	p := spread{s: d.survey, words: (len(d.nodes) + 63) / 64, topics: d.number()}
	eligible := 0
	for _, r := range d.racks {
		eligible += len(r.eligible) + len(r.unknown)
	}
	n := len(p.topics)
	p.rows, p.some = make([][]uint16, n), make([]uint64, n*p.words)
	p.total, p.fair = make([]int32, n), make([]int32, n)
	p.can, p.lows = p.eligible(), map[lowKey]*low{}
	for row := range int32(n) {
		p.total[row] = int32(len(p.replicas(row)))
		p.fair[row] = (p.total[row] + int32(eligible) - 1) / int32(max(1, eligible))
		p.mark(row)
	}
	return p
}

// eligible sets the bits of the nodes that compete for slots, those of each rack
// in a row of its own.
func (p *spread) eligible() []uint64 {
	can := make([]uint64, len(p.s.racks)*p.words)
	for r := range p.s.racks {
		for _, at := range p.s.racks[r].eligible {
			can[r*p.words+int(at>>6)] |= 1 << (at & 63)
		}
	}
	return can
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

// count is the number of replicas of the topic on a node. The bit is asked first:
// it nearly always is the answer, and near at hand.
func (p *spread) count(topic, at int32) int32 {
	if !p.has(topic, at) {
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

// maybeBare is false if no eligible node of the rack is without a replica of the
// topic. While the topic is not counted nobody has missed one yet.
func (p *spread) maybeBare(topic, r int32) bool {
	if p.rows[topic] == nil {
		return true
	}
	from, to := int(p.s.racks[r].first>>6), int(p.s.racks[r].end+63)>>6
	some := p.some[int(topic)*p.words:][from:to]
	for i, can := range p.can[int(r)*p.words:][from:to] {
		if can&^some[i] != 0 {
			return true
		}
	}
	return false
}

// change counts one replica more or, with by -1, one fewer. A topic with 65,535
// replicas on one broker is past being balanced, and stays there.
func (p *spread) change(topic, at int32, by int) {
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
	*n = uint16(int(*n) + by)
	if by < 0 {
		delete(p.lows, lowKey{topic, p.s.nodes[at].rack})
	}
	if *word |= bit; *n == 0 {
		*word &^= bit
	}
}
