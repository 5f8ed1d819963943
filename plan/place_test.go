package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// scanAll is choose without its shortcuts: it looks at every broker.
func (d *drain) scanAll(s *slot, floor int32, best candidate) int32 {
	t := &d.tasks[s.task]
	for _, r := range d.groups.racks[s.racks] {
		for _, at := range d.racks[r].eligible {
			n := &d.nodes[at]
			if d.siblingIn(t, s, r) || d.holds(t, at) || n.in+s.size > n.limit || s.size > n.fits {
				continue
			}
			c := d.candidate(s, at)
			if c.excess = max(c.excess, floor); d.better(c, best) {
				best = c
			}
		}
	}
	return best.at
}

// crowded is a cluster in which topics have several replicas on a broker, disks
// differ, and a drain fills the budget of many brokers. Now and then a rack has so
// many brokers that they are not looked at one by one.
func crowded(rng *rand.Rand) *drain {
	brokers, racks := 24+rng.IntN(30), 1+rng.IntN(4)
	if rng.IntN(4) == 0 {
		brokers, racks = 3*mostListed, 1+rng.IntN(2)
	}
	b := Builder{Head: Cluster{MinISRDefault: 1}}
	for id := range brokers {
		capacity := int64(4000 + 1000*rng.IntN(2))
		b.Broker(Broker{ID: int32(id), Rack: fmt.Sprint("r", id%racks), CapacityBytes: capacity, UsableBytes: Unknown})
	}
	for t := range 12 {
		b.Topic(Topic{Name: fmt.Sprintf("t%02d", t)})
		for n := range 1 + rng.IntN(4*brokers) {
			v := PartitionView{Number: int32(n), SizeBytes: int64(rng.ExpFloat64() * 20)}
			if t%3 == 0 {
				v.Replicas = []int32{int32(n % brokers), int32((n + 1) % brokers)}
			} else {
				for _, id := range rng.Perm(brokers)[:1+rng.IntN(3)] {
					v.Replicas = append(v.Replicas, int32(id))
				}
			}
			v.ISR, v.Leader = v.Replicas, v.Replicas[0]
			b.Partition(v)
		}
	}
	c, err := b.Cluster()
	if err != nil {
		panic(err)
	}
	r := &Request{Slack: 0.1}
	for id := range 1 + rng.IntN(6) {
		r.Brokers = append(r.Brokers, int32(id))
	}
	d := newDrain(newSurvey(&c, r))
	d.setLimits(longest(d.bounds()) * (1 + r.Slack))
	return d
}

// The walk by fill, and what is known of the lowest nodes, find what a scan of all
// finds; also after a slot has left its place.
func TestChooseFindsWhatAScanFinds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		d := crowded(rng)
		for _, i := range d.order() {
			s := &d.slots[i]
			racks := d.groups.racks[s.racks]
			for _, floor := range []int32{noFloor, 0} {
				if got, want := d.choose(s, racks, floor, nobody), d.scanAll(s, floor, nobody); got != want {
					t.Fatalf("seed %d, slot %d, floor %d: got node %d, a scan finds %d", seed, i, floor, got, want)
				}
			}
			at := d.choose(s, racks, noFloor, nobody)
			if at < 0 {
				at = d.leastLoaded(s, racks)
			}
			if at >= 0 {
				d.put(s, at)
			}
			if other := &d.slots[rng.IntN(len(d.slots))]; other.to >= 0 && rng.IntN(10) == 0 {
				from := other.to
				d.lift(other)
				d.sift(from)
			}
		}
	}
}

// After any changes the counts of a topic and the order of fill are what a fresh
// count gives.
func TestCountsStayRightAsSlotsComeAndGo(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 3))
	d := crowded(rng)
	for range 20_000 {
		s := &d.slots[rng.IntN(len(d.slots))]
		if s.to >= 0 {
			from := s.to
			d.lift(s)
			d.sift(from)
		} else if at := d.leastLoaded(s, d.groups.racks[s.racks]); at >= 0 {
			d.put(s, at)
		}
		if rng.IntN(10) == 0 {
			d.spread.row(s.topic) // it is counted sooner or later
		}
	}
	want := map[[2]int32]int32{}
	for topic := range d.spread.topics {
		for _, id := range d.spread.replicas(int32(topic)) {
			want[[2]int32{int32(topic), d.index.of(id)}]++
		}
	}
	for i := range d.slots {
		if s := &d.slots[i]; s.to >= 0 {
			want[[2]int32{s.topic, s.to}]++
		}
	}
	for topic := range d.spread.topics {
		for at := range d.nodes {
			key := [2]int32{int32(topic), int32(at)}
			if got := d.spread.count(key[0], key[1]); got != want[key] || d.spread.has(key[0], key[1]) != (got > 0) {
				t.Errorf("topic %d has %d replicas on node %d, want %d", topic, got, at, want[key])
			}
		}
	}
	for r := range d.racks {
		order := d.racks[r].byFill
		for i, at := range order {
			n := &d.nodes[at]
			if d.fills[at] != n.fill(0) || d.rooms[at] != n.room() || i > 0 && d.fills[at] < d.fills[order[i-1]] {
				t.Errorf("rack %d: place %d holds node %d with fill %v and room %d, in fact %v and %d",
					r, i, at, d.fills[at], d.rooms[at], n.fill(0), n.room())
			}
		}
	}
}

func TestPigeonhole(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		sizes   []int64
		brokers int
		want    float64
	}{
		{"no item", nil, 3, 0},
		{"no broker", []int64{5}, 0, 0},
		{"as many items as brokers", []int64{5, 4, 3}, 3, 0},
		{"one more: the two smallest share", []int64{5, 4, 3, 2}, 3, 5},
		{"two large ones and a third", []int64{90, 60, 50}, 2, 110},
		{"three on one of two", []int64{10, 10, 10, 10, 10}, 2, 30},
		{"everything on one", []int64{3, 2, 1}, 1, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := pigeonhole(test.sizes, test.brokers); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestTextOfNumbers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ got, want string }{
		{digits(0), "0"}, {digits(999), "999"}, {digits(80000000000), "80,000,000,000"}, {digits(-1234567), "-1,234,567"},
		{FormatBytes(0), "0 B"}, {FormatBytes(999), "999 B"}, {FormatBytes(53687091200), "53.7 GB"}, {FormatBytes(999999), "1 MB"}, {FormatBytes(math.MaxInt64), "9.22 EB"},
		{longText(80000), "22h13m20s"}, {longText(3 * 86400), "3.0 days"}, {longText(80e9), "about 2,535 years"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}
