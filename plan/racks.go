package plan

import "slices"

// groups are the sets of racks that slots are allowed, each kept once: a large
// drain has a few of them and hundreds of thousands of slots.
type groups struct {
	racks [][]int32
	byKey map[string]int32

	// Scratch of allow: by rack, the lowest racks, a key.
	held, free []int32
	level      []int32
	key        []byte
}

func newGroups(racks int) groups {
	return groups{byKey: map[string]int32{}, held: make([]int32, racks), free: make([]int32, racks)}
}

func (g *groups) of(racks ...int32) int32 {
	g.key = g.key[:0]
	for _, r := range racks {
		g.key = append(g.key, byte(r), byte(r>>8), byte(r>>16), byte(r>>24))
	}
	if at, ok := g.byKey[string(g.key)]; ok {
		return at
	}
	g.racks = append(g.racks, slices.Clone(racks))
	g.byKey[string(g.key)] = int32(len(g.racks) - 1)
	return int32(len(g.racks) - 1)
}

// allow works out the racks of each slot of a task. New replicas go, one after
// another, to the racks with a free eligible broker that hold the fewest
// replicas: this keeps as many distinct racks as can be had, spreads the excess
// evenly where there are more replicas than racks, and repairs an old violation
// for nothing. Where such racks are no more than the replicas to be placed,
// each gets one and is the only one allowed to it; else the rest choose among
// them, each another.
func (d *drain) allow(t *task) {
	g := &d.groups
	d.tally(t)
	slots := d.slotsOf(t)
	for tier := int32(0); len(slots) > 0; tier++ {
		level := g.lowest()
		if len(level) == 0 {
			d.shut(slots)
			return
		}
		pinned := len(level) <= len(slots)
		group := int32(0)
		if !pinned {
			group = g.of(level...)
		}
		n := min(len(level), len(slots))
		for k := range slots[:n] {
			if pinned {
				group = g.of(level[k])
			}
			slots[k].racks, slots[k].tier = group, tier
		}
		for _, r := range level {
			g.held[r]++
			g.free[r]--
		}
		slots = slots[n:]
	}
}

// shut leaves slots that no broker can take (H1) with no racks.
func (d *drain) shut(slots []slot) {
	for k := range slots {
		slots[k].racks = d.groups.of()
	}
}

// tally counts, for each rack, the replicas of the task that stay and the
// eligible brokers without one.
func (d *drain) tally(t *task) {
	g := &d.groups
	for r := range d.racks {
		g.held[r] = 0
		g.free[r] = 0
		if d.racks[r].counts {
			g.free[r] = int32(len(d.racks[r].eligible) + len(d.racks[r].unknown))
		}
	}
	for k, id := range d.replicasOf(t) {
		at := d.index.of(id)
		if at < 0 || d.leaves(t, k) {
			continue
		}
		g.held[d.nodes[at].rack]++
		if d.nodes[at].eligible {
			g.free[d.nodes[at].rack]--
		}
	}
}

// leaves says that place k of the list is one of the task's slots.
func (d *drain) leaves(t *task, k int) bool {
	return slices.ContainsFunc(d.slotsOf(t), func(s slot) bool { return s.place == int32(k) })
}

// lowest lists the racks with a free broker that hold the fewest replicas. The
// list is good until the next call.
func (g *groups) lowest() []int32 {
	level := g.level[:0]
	for r := range g.held {
		switch {
		case g.free[r] <= 0:
		case len(level) > 0 && g.held[r] > g.held[level[0]]:
		case len(level) > 0 && g.held[r] < g.held[level[0]]:
			level = append(level[:0], int32(r))
		default:
			level = append(level, int32(r))
		}
	}
	g.level = level
	return level
}
