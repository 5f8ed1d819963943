package plan

import (
	"cmp"
	"slices"
)

// helper is a move of a replica that is on no drained broker, made only so that
// one that is finds room. It is the last means: it moves bytes that need not
// move, and the room is there only once it has ended and the old files are
// deleted. So it is planned only where a replica has no place otherwise, and
// carried out only if the risk helper-moves is accepted.
type helper struct {
	partition int32
	from, to  int32 // nodes
	size      int64
	slot      int32 // that it makes room for
}

const helperRisk = "helper-moves"

// mostHelped is how many slots are looked at: where more have no room, room is
// what is missing.
const mostHelped = 50

// help looks for one helper for each slot that has no room. A volume that is one
// of several is left alone: which of its logs are where is not known.
func (d *drain) help() {
	var stuck []int32
	for i := range d.slots {
		if s := &d.slots[i]; s.to < 0 && s.reason == full {
			stuck = append(stuck, int32(i))
		}
	}
	if len(stuck) == 0 || len(stuck) > mostHelped {
		return
	}
	residents := d.residents()
	for _, i := range stuck {
		h, ok := d.helperFor(i, residents)
		if !ok {
			continue
		}
		d.slots[i].reason = needsHelp
		d.helpers = append(d.helpers, h)
		if d.r.accepts(helperRisk) {
			d.applyHelper(&h)
		}
	}
}

// residents lists, by node, the partitions that a helper could move: the node is
// neither their leader nor their preferred leader.
func (d *drain) residents() [][]int32 {
	by := make([][]int32, len(d.nodes))
	ps := &d.c.partitions
	lastTopic, stays, minISR := int32(-1), false, 0
	for i := range ps.size {
		if topic := ps.topic[i]; topic != lastTopic {
			lastTopic, stays, minISR = topic, d.r.excludes(d.c.Topics[topic].Name), d.c.MinISR(int(topic))
		}
		list := ps.list(i)
		if stays || len(list) < minISR || !d.canHelp(i) {
			continue
		}
		for _, id := range list[1:] {
			if at := d.index.of(id); d.nodes[at].eligible && id != ps.leader[i] {
				by[at] = append(by[at], int32(i))
			}
		}
	}
	return by
}

// canHelp says that nothing keeps a move of the partition from ending soon: the
// drain has no part in it, all of its replicas live and are in sync, and none is on
// a cordoned broker, which no list may hold (KAFKA-20832). With fewer replicas than
// its min ISR (see residents) it could not be written to meanwhile: belowMinISR.
func (d *drain) canHelp(partition int) bool {
	ps := &d.c.partitions
	return ps.size[partition] > 0 && ps.ordinary(partition) && d.c.Live(ps.leader[partition]) &&
		!slices.ContainsFunc(ps.list(partition), func(id int32) bool {
			b, _ := d.c.Broker(id)
			return !b.Live() || b.Cordoned || slices.Contains(d.r.Brokers, id)
		})
}

// helperFor is the helper with the fewest bytes, then the first partition.
func (d *drain) helperFor(i int32, residents [][]int32) (best helper, ok bool) {
	s := &d.slots[i]
	ps := &d.c.partitions
	for _, r := range d.groups.racks[s.racks] {
		for _, from := range d.racks[r].eligible {
			if !d.mayTake(s, from) || len(d.disks[from].volumes) != 1 {
				continue
			}
			for _, p := range residents[from] {
				h := helper{partition: p, from: from, size: ps.size[p], slot: i}
				if d.nodes[from].fits+h.size < s.size || ok && h.compare(&best) >= 0 || d.isHelped(p) {
					continue
				}
				if h.to = d.otherHome(p, from); h.to >= 0 {
					best, ok = h, true
				}
			}
		}
	}
	return best, ok
}

func (h *helper) compare(other *helper) int {
	return cmp.Or(cmp.Compare(h.size, other.size), cmp.Compare(h.partition, other.partition))
}

func (d *drain) isHelped(partition int32) bool {
	return slices.ContainsFunc(d.helpers, func(h helper) bool { return h.partition == partition })
}

// otherHome is a broker of the same rack with room for the partition, the least
// full one, or -1.
func (d *drain) otherHome(partition, from int32) int32 {
	size, list := d.c.partitions.size[partition], d.c.partitions.list(int(partition))
	best := int32(-1)
	for _, at := range d.racks[d.nodes[from].rack].eligible {
		n := &d.nodes[at]
		if at == from || size > n.fits || slices.Contains(list, n.id) {
			continue
		}
		if best < 0 || n.fill(size) < d.nodes[best].fill(size) {
			best = at
		}
	}
	return best
}

// applyHelper plans the helper, and its slot where it made room.
func (d *drain) applyHelper(h *helper) {
	from, to := &d.nodes[h.from], &d.nodes[h.to]
	d.disks[h.from].add(-1, -h.size, 0)
	from.fits = d.disks[h.from].fits()
	d.disks[h.to].add(d.disks[h.to].next(), h.size, 1)
	to.fits = d.disks[h.to].fits()
	to.in += h.size
	to.coming++
	if at := d.index.of(d.c.partitions.leader[h.partition]); at >= 0 {
		d.nodes[at].out += h.size
	}
	d.put(&d.slots[h.slot], h.from)
}

// helperMoves are the moves of the helpers whose slot has its place.
func (d *drain) helperMoves() []Move {
	var moves []Move
	for _, h := range d.helpers {
		if d.slots[h.slot].to < 0 {
			continue
		}
		list := d.c.partitions.list(int(h.partition))
		after := slices.Clone(list)
		after[slices.Index(list, d.nodes[h.from].id)] = d.nodes[h.to].id
		moves = append(moves, Move{
			TopicPartition: d.c.Name(int(h.partition)), TopicID: d.c.Topics[d.c.partitions.topic[h.partition]].ID,
			Before: list, After: after, From: []int32{d.nodes[h.from].id}, To: []int32{d.nodes[h.to].id}, Bytes: h.size,
			Leader: d.c.partitions.leader[h.partition], LeadsDuring: NoLeader, LeadsFirst: after[0], Helper: true,
		})
	}
	return moves
}
