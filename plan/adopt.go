package plan

// adopt counts the moves of an earlier run that are still in flight: they go on
// as they are, and what is planned beside them shares their ports. Their room
// is reserved already.
func (d *drain) adopt() {
	for _, i := range d.fates[adopted] {
		m := d.own[d.c.Name(int(i))]
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

// reader is the broker that leads while the move copies.
func (m *Move) reader() int32 {
	if m.LeadsDuring != NoLeader {
		return m.LeadsDuring
	}
	return m.Leader
}
