package plan

import "math"

// spread counts the replicas of each topic that has something to move, broker
// by broker, so that a topic does not pile up on one.
type spread struct {
	width int      // nodes
	count []uint16 // a row of nodes for each topic
	fair  []int32  // by row: replicas of the topic over eligible brokers, rounded up
}

// newSpread gives each topic of the tasks a row and counts it.
func newSpread(d *drain) spread {
	p := spread{width: len(d.nodes)}
	eligible := 0
	for _, r := range d.racks {
		eligible += len(r.eligible) + len(r.unknown)
	}
	last := int32(-1)
	for i := range d.tasks {
		t := &d.tasks[i]
		if topic := d.c.partitions.topic[t.partition]; topic != last {
			p.add(d.survey, int(topic), max(1, eligible))
			last = topic
		}
		for k := range d.slotsOf(t) {
			d.slots[int(t.first)+k].topic = int32(len(p.fair) - 1)
		}
	}
	return p
}

func (p *spread) add(s *survey, topic, eligible int) {
	ps := &s.c.partitions
	p.count = append(p.count, make([]uint16, p.width)...)
	row := p.row(int32(len(p.fair)))
	total := 0
	first := s.c.Topics[topic].First
	for _, id := range ps.replicas[ps.offset[first]:ps.offset[first+s.c.Topics[topic].Count]] {
		total++
		if at := s.index.of(id); at >= 0 {
			grow(&row[at])
		}
	}
	p.fair = append(p.fair, int32((total+eligible-1)/eligible))
}

func (p *spread) row(topic int32) []uint16 {
	return p.count[int(topic)*p.width : (int(topic)+1)*p.width]
}

// excess is by how many replicas a node will be over the fair number of the
// topic once it has one more.
func (p *spread) excess(topic, at int32) int32 {
	return max(0, int32(p.row(topic)[at])+1-p.fair[topic])
}

// grow stops at the largest number it can tell: a topic with 65,535 replicas on
// one broker is past being balanced.
func grow(n *uint16) {
	if *n < math.MaxUint16 {
		*n++
	}
}
