package plan

import (
	"cmp"
	"math"
	"slices"
)

// node is a broker as the planner sees it: what it holds, what it may still
// take, and what the plan has given it so far.
type node struct {
	// What placing looks at comes first, to lie together in memory.
	in       int64 // bytes to be copied to it
	limit    int64 // of in, from the budget of time
	fits     int64 // the largest replica that has a place
	used     int64
	capacity int64 // 0 if unknown
	id       int32
	replicas int32 // that it holds, and what the plan has given it
	rack     int32 // index into survey.racks
	eligible bool  // may receive
	live     bool
	drained  bool
	unknown  bool // its space is: it did not answer

	receives, sends float64 // its throttles as multiples of the request's

	preferred int32 // partitions that name it first
	leads     int32 // partitions that it leads, and those that it leads while copying
	coming    int32 // replicas to be copied to it
	stored    int64 // sum of the sizes of its replicas
	out       int64 // bytes to be read from it
}

// fill is the part of the disk used once s bytes more are on it. A broker of
// unknown capacity counts as full.
func (n *node) fill(s int64) float64 {
	if n.capacity <= 0 {
		return math.Inf(1)
	}
	return float64(n.used+n.in+s) / float64(n.capacity)
}

// room is the largest replica that it may still get: its disk has the place, and
// its port the time. Negative is not even an empty one.
func (n *node) room() int64 { return min(n.limit-n.in, n.fits) }

// load is the time, in bytes at the request's throttle, until what comes in and
// s bytes more are there.
func (n *node) load(s int64) float64 { return float64(n.in+s) / n.receives }

// sent is the same for what is read from it.
func (n *node) sent(s int64) float64 { return float64(n.out+s) / n.sends }

// rack is a run of nodes. Its eligible ones are what its slots compete for.
type rack struct {
	name     string
	first    int32 // of its nodes
	end      int32
	counts   bool    // as a rack: false for brokers without one where others have one
	eligible []int32 // of known space, by ID
	byFill   []int32 // the same, the least full first
	unknown  []int32 // eligible but for their unknown space
	receives float64 // sum over the eligible ones
	largest  int64   // capacity among them
}

// nodesOf lists the brokers, those of a rack together and by ID: the planner
// walks a rack's nodes for every replica that it places. Where no broker has a
// rack they form one; where only some have, those without come last.
func nodesOf(c *Cluster, r *Request) ([]node, []disk, []rack) {
	brokers := slices.Clone(c.Brokers)
	for _, id := range r.Brokers {
		if b, known := c.Broker(id); !known {
			brokers = append(brokers, b)
		}
	}
	slices.SortFunc(brokers, func(x, y Broker) int {
		return cmp.Or(cmp.Compare(min(len(y.Rack), 1), min(len(x.Rack), 1)),
			cmp.Compare(x.Rack, y.Rack), cmp.Compare(x.ID, y.ID))
	})
	nodes, disks := make([]node, len(brokers)), make([]disk, len(brokers))
	var racks []rack
	for i := range brokers {
		b := &brokers[i]
		if len(racks) == 0 || racks[len(racks)-1].name != b.Rack {
			racks = append(racks, rack{name: b.Rack, first: int32(i), counts: b.Rack != "" || brokers[0].Rack == ""})
		}
		nodes[i], disks[i] = newNode(c, b, r), newDisk(b, r)
		nodes[i].rack = int32(len(racks) - 1)
		racks[nodes[i].rack].end = int32(i + 1)
	}
	return nodes, disks, racks
}

func newNode(c *Cluster, b *Broker, r *Request) node {
	n := node{id: b.ID, live: b.Live(), drained: slices.Contains(r.Brokers, b.ID)}
	n.sends, n.receives = c.pace(b, r)
	n.eligible = n.live && !n.drained && !b.Cordoned && !allOffline(b) && r.mayReceive(b)
	return n
}

func allOffline(b *Broker) bool {
	return len(b.LogDirs) > 0 && !slices.ContainsFunc(b.LogDirs, func(l LogDir) bool { return !l.Offline })
}

// mayReceive says that the request lets the broker be a destination.
func (r *Request) mayReceive(b *Broker) bool {
	switch {
	case r.Destinations != nil && !slices.Contains(r.Destinations, b.ID):
		return false
	case r.DestinationRacks != nil && !slices.Contains(r.DestinationRacks, b.Rack):
		return false
	}
	return !slices.Contains(r.Exclude, b.ID) && !slices.Contains(r.Draining, b.ID)
}
