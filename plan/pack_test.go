package plan

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// tight is a drain of broker 0 that has a place for everything, as its disks are
// made for one: each has room for what a throw of dice gives it, and for a
// twentieth of the mean besides.
func tight(rng *rand.Rand) (Cluster, Request) {
	brokers := 3 + rng.IntN(4)
	room := make([]int64, brokers)
	b := Builder{Head: Cluster{MinISRDefault: 1}}
	var total int64
	for t := range 1 + rng.IntN(4) {
		b.Topic(Topic{Name: fmt.Sprint("t", t)})
		for n := range 6 + rng.IntN(4) {
			size, at := 1+int64(rng.ExpFloat64()*100), rng.IntN(brokers)
			room[at], total = room[at]+size, total+size
			list := []int32{0}
			if survivor := rng.IntN(brokers); survivor != at {
				list = append(list, int32(survivor+1))
			}
			b.Partition(PartitionView{Number: int32(n), Leader: 0, Replicas: list, ISR: list, SizeBytes: size})
		}
	}
	b.Broker(Broker{ID: 0, CapacityBytes: 1 << 40, UsableBytes: 0})
	for i, bytes := range room {
		b.Broker(Broker{ID: int32(i + 1), CapacityBytes: 1 << 20, UsableBytes: bytes + total/int64(20*brokers)})
	}
	c, err := b.Cluster()
	if err != nil {
		panic(err)
	}
	return c, Request{Brokers: []int32{0}, Slack: 0.25}
}

// A drain is not refused because the replicas placed first have left the room in
// pieces. Placing alone left some in 144 of these 400.
func TestRoomInPiecesIsPutTogether(t *testing.T) {
	t.Parallel()
	refused := 0
	for seed := range uint64(400) {
		c, r := tight(rand.New(rand.NewPCG(seed, 4)))
		p, err := Compute(c, r)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Left) > 0 {
			refused++
		}
	}
	if refused > 8 {
		t.Errorf("%d of 400 drains are refused that have a place for everything", refused)
	}
}

// What pack does, and what it tries and gives up, leaves the books right: they are
// those of the slots where they are, and no volume has more than it holds.
func TestPackingKeepsTheBooks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		c, r := tight(rand.New(rand.NewPCG(seed, 5)))
		for i := range c.Brokers[1:] { // too little room for some, and every other with two dirs
			b := &c.Brokers[i+1]
			b.UsableBytes -= b.UsableBytes / 8
			if part := b.UsableBytes / 3; i%2 == 0 {
				b.LogDirs = []LogDir{{Path: "/a", TotalBytes: 1 << 19, UsableBytes: b.UsableBytes - part}, {Path: "/b", TotalBytes: 1 << 18, UsableBytes: part}}
			}
		}
		r.NameDirs = seed%2 == 0
		d := newDrain(newSurvey(&c, &r))
		d.setLimits(longest(d.bounds()))
		d.place()
		d.pack()
		checkBooks(t, d)
	}
}

func checkBooks(t *testing.T, d *drain) {
	t.Helper()
	in, coming := make([]int64, len(d.nodes)), make([]int32, len(d.nodes))
	for i := range d.slots {
		if s := &d.slots[i]; s.to >= 0 {
			in[s.to] += s.size
			coming[s.to]++
		}
	}
	for _, at := range d.racks[0].eligible {
		n, k := &d.nodes[at], &d.disks[at]
		if n.in != in[at] || n.coming != coming[at] || n.fits != k.fits() || d.fills[at] != n.fill(0) || d.rooms[at] != n.room() {
			t.Errorf("node %d is %+v with fill %v and room %d, and gets %d bytes in %d slots", at, *n, d.fills[at], d.rooms[at], in[at], coming[at])
		}
		if slices.ContainsFunc(k.volumes, func(v volume) bool { return v.room < 0 }) {
			t.Errorf("node %d has volumes %+v", at, k.volumes)
		}
	}
	if !slices.IsSortedFunc(d.racks[0].byFill, func(a, b int32) int { return cmp.Compare(d.fills[a], d.fills[b]) }) {
		t.Errorf("the nodes are not in the order of fill: %v of %v", d.racks[0].byFill, d.fills)
	}
}
