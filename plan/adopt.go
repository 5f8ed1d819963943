package plan

// adopt counts the moves of an earlier run that are still in flight: they go on
// as they are, and what is planned beside them shares their ports and follows
// upon who will lead them. Their room is reserved already.
func (d *drain) adopt() {
	for _, i := range d.fates[adopted] {
		m := d.own[d.c.Name(int(i))]
		d.prefers(d.c.partitions.list(int(i))[0], -1)
		d.prefers(m.LeadsFirst, 1)
		each := m.Bytes / int64(max(1, len(m.To)))
		for _, id := range m.To {
			if at := d.index.of(id); at >= 0 {
				d.nodes[at].in += each
				d.nodes[at].used -= min(each, d.nodes[at].used)
				d.nodes[at].coming++
				d.sift(at)
			}
		}
		if at := d.index.of(m.reader()); at >= 0 {
			d.nodes[at].out += m.Bytes
		}
	}
}

// prefers counts a partition that names the broker first, or does not any more.
func (d *drain) prefers(id, count int32) {
	if at := d.index.of(id); at >= 0 {
		d.nodes[at].preferred += count
	}
}

// reader is the broker that leads while the move copies.
func (m *Move) reader() int32 {
	if m.LeadsDuring != NoLeader {
		return m.LeadsDuring
	}
	return m.Leader
}
