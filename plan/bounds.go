package plan

import (
	"math"
	"slices"
)

// Bound is a lower bound on the time of any plan that only replaces replicas.
type Bound struct {
	Name    string  // one of the names below
	Bytes   float64 // through a port at the throttle of the request; see Seconds
	Seconds float64 // 0 without a throttle
}

// The names of the bounds.
const (
	BoundDestinations = "destinations" // what has to come into some racks, over their brokers
	BoundFewItems     = "few-items"    // some broker must take several of the largest
	BoundPartition    = "partition"    // the largest replica, into one broker
	BoundSources      = "sources"      // what has to be read from some brokers, over them
	BoundLatency      = "latency"      // rounds of moves into one broker
)

// regroup allows slots whose last resort was a node without a rack just these.
func (d *drain) regroup() {
	for i := range d.slots {
		if s := &d.slots[i]; s.reason == rackless {
			s.racks, d.regrouped = d.groups.of(d.nodes[s.to].rack), true
		}
	}
}

// rebound takes the bounds of destinations anew once slots were allowed other racks,
// as if none had its place.
func (d *drain) rebound(bounds []Bound) {
	places := slices.Clone(d.slots)
	for i := range d.slots {
		if s := &d.slots[i]; s.to >= 0 {
			d.lift(s)
		}
	}
	for i := range bounds {
		switch name := bounds[i].Name; name {
		case BoundDestinations:
			bounds[i] = d.bound(name, d.destinations())
		case BoundFewItems:
			bounds[i] = d.bound(name, d.fewItems())
		case BoundPartition:
			bounds[i] = d.bound(name, d.largest())
		}
	}
	for i := range places {
		if s := &places[i]; s.to >= 0 {
			d.putIn(&d.slots[i], s.to, s.dir)
		}
	}
}

// cut is a set of racks and the bytes that must come into them.
type cut struct {
	racks []int32
	bytes int64
}

// destinations is the time until the slots can have come in: for every set of
// racks, the bytes of slots allowed in no other rack over what its brokers
// receive, where a broker takes no more than its room. Exact for divisible
// items (max-flow is min-cut).
func (d *drain) destinations() float64 {
	cuts := d.cuts()
	bound := 0.0
	for _, c := range cuts {
		if rate := d.rate(c.racks); rate > 0 {
			bound = max(bound, float64(c.bytes)/rate)
		}
	}
	if d.holdsAll(cuts, bound) {
		return bound
	}
	high := 2*bound + 1
	for range 64 {
		if d.holdsAll(cuts, high) {
			return d.bisect(cuts, bound, high)
		}
		high *= 2
	}
	return bound // no time is enough: what has no room is reported slot by slot
}

func (d *drain) bisect(cuts []cut, low, high float64) float64 {
	for range 50 {
		if mid := low + (high-low)/2; d.holdsAll(cuts, mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return low
}

// holdsAll says that in time t each set of racks can take its bytes.
func (d *drain) holdsAll(cuts []cut, t float64) bool {
	takes := make([]float64, len(d.racks))
	for r := range d.racks {
		for _, at := range d.racks[r].eligible {
			takes[r] += min(t*d.nodes[at].receives, float64(max(0, d.disks[at].room())))
		}
	}
	for _, c := range cuts {
		sum := 0.0
		for _, r := range c.racks {
			sum += takes[r]
		}
		if float64(c.bytes) > sum*(1+1e-12) {
			return false
		}
	}
	return true
}

func (d *drain) rate(racks []int32) float64 {
	sum := 0.0
	for _, r := range racks {
		sum += d.racks[r].receives
	}
	return sum
}

// mostCutRacks bounds the racks of which all sets are tried: 4,096 of them.
const mostCutRacks = 12

// cuts lists the sets of racks worth looking at: all of them up to 12 racks,
// else each rack, each group of allowed racks, and all racks.
func (d *drain) cuts() []cut {
	bytes := make([]int64, len(d.groups.racks))
	for i := range d.slots {
		bytes[d.slots[i].racks] += d.slots[i].size
	}
	if len(d.racks) <= mostCutRacks {
		return d.allCuts(bytes)
	}
	sets := slices.Clone(d.groups.racks)
	all := make([]int32, len(d.racks))
	for r := range all {
		all[r] = int32(r)
	}
	return d.sumCuts(append(sets, all), bytes)
}

// allCuts sums the groups up over all sets of racks, one rack at a time.
func (d *drain) allCuts(bytes []int64) []cut {
	sums := make([]int64, 1<<len(d.racks))
	for g, racks := range d.groups.racks {
		mask := 0
		for _, r := range racks {
			mask |= 1 << r
		}
		sums[mask] += bytes[g]
	}
	sums[0] = 0 // slots that no rack is allowed
	for r := range d.racks {
		for mask := range sums {
			if mask&(1<<r) != 0 {
				sums[mask] += sums[mask^(1<<r)]
			}
		}
	}
	var cuts []cut
	for mask, sum := range sums {
		if sum == 0 {
			continue
		}
		c := cut{bytes: sum}
		for r := range d.racks {
			if mask&(1<<r) != 0 {
				c.racks = append(c.racks, int32(r))
			}
		}
		cuts = append(cuts, c)
	}
	return cuts
}

// sumCuts sums up the groups within each set. Past some sets this is only done
// for the set itself and for all racks: a weaker bound, still one.
func (d *drain) sumCuts(sets [][]int32, bytes []int64) []cut {
	const mostPairs = 1 << 20
	var cuts []cut
	for k, set := range sets {
		c := cut{racks: set}
		for g, racks := range d.groups.racks {
			within := k == len(sets)-1 && len(racks) > 0 || k == g
			if !within && len(sets)*len(sets) <= mostPairs {
				within = len(racks) > 0 && subset(racks, set)
			}
			if within {
				c.bytes += bytes[g]
			}
		}
		if len(set) > 0 {
			cuts = append(cuts, c)
		}
	}
	return cuts
}

func subset(a, of []int32) bool {
	for _, x := range a {
		if !slices.Contains(of, x) {
			return false
		}
	}
	return true
}

// fewItems is the bound for large items: with sizes in descending order, of the
// first k*n+1 some k+1 share one of n brokers, and the smallest k+1 of them are
// the least that can. It is taken for each rack and for all of them.
func (d *drain) fewItems() float64 {
	bound := 0.0
	sizes := make([][]int64, len(d.racks))
	all := make([]int64, 0, len(d.slots))
	for r := range sizes {
		sizes[r] = make([]int64, 0, len(d.slots)/len(sizes))
	}
	for i := range d.slots {
		s := &d.slots[i]
		racks := d.groups.racks[s.racks]
		if len(racks) == 0 {
			continue
		}
		if len(racks) == 1 {
			sizes[racks[0]] = append(sizes[racks[0]], s.size)
		}
		if d.racks[racks[0]].counts {
			all = append(all, s.size)
		}
	}
	brokers, fastest := 0, 0.0
	for r := range d.racks {
		n, rate := d.fastest(r)
		if d.racks[r].counts {
			brokers, fastest = brokers+n, max(fastest, rate)
		}
		bound = max(bound, pigeonhole(sizes[r], n)/max(rate, math.SmallestNonzeroFloat64))
	}
	if brokers > 0 {
		bound = max(bound, pigeonhole(all, brokers)/fastest)
	}
	return bound
}

func (d *drain) fastest(r int) (n int, rate float64) {
	for _, at := range d.racks[r].eligible {
		rate = max(rate, d.nodes[at].receives)
	}
	return len(d.racks[r].eligible), rate
}

// pigeonhole is the least that the fullest of n brokers gets of items that come
// largest first.
func pigeonhole(sizes []int64, n int) float64 {
	if n == 0 {
		return 0
	}
	before := make([]int64, len(sizes)+1)
	for i, s := range sizes {
		before[i+1] = before[i] + s
	}
	var least int64
	for k := 1; k*n < len(sizes); k++ {
		least = max(least, before[k*n+1]-before[k*n-k])
	}
	return float64(least)
}

// largest is the time of the largest replica into the fastest broker that may
// have it.
func (d *drain) largest() float64 {
	fastest := make([]float64, len(d.groups.racks))
	for g, racks := range d.groups.racks {
		for _, r := range racks {
			_, rate := d.fastest(int(r))
			fastest[g] = max(fastest[g], rate)
		}
	}
	bound := 0.0
	for i := range d.slots {
		if rate := fastest[d.slots[i].racks]; rate > 0 {
			bound = max(bound, float64(d.slots[i].size)/rate)
		}
	}
	return bound
}
