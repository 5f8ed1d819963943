package reassign

import (
	"cmp"
	"math"
	"slices"
)

// lanesPolicy is the policy of this package.
func lanesPolicy(rate int64) policy {
	l := limits(rate)
	return func(waiting, flying []Load) []int { return Admit(waiting, flying, l) }
}

// atOnce starts everything, as kafka-reassign-partitions does.
func atOnce(waiting, flying []Load) []int { return upTo(len(waiting)) }

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// batches starts n when none is in flight: a barrier after each.
func batches(n int) policy {
	return func(waiting, flying []Load) []int {
		if len(flying) > 0 {
			return nil
		}
		return upTo(min(n, len(waiting)))
	}
}

// globalWindow keeps n in flight, in topic order (KIP-1335).
func globalWindow(n int) policy {
	return func(waiting, flying []Load) []int { return upTo(max(0, min(n-len(flying), len(waiting)))) }
}

// perBroker keeps n in flight at each broker, in topic order (Cruise Control).
func perBroker(n int) policy {
	return func(waiting, flying []Load) []int {
		users := map[int32]int{}
		take := func(l Load) {
			users[l.Source]++
			for _, d := range l.Dests {
				users[d]++
			}
		}
		for _, l := range flying {
			take(l)
		}
		var picked []int
		for i, l := range waiting {
			full := users[l.Source] >= n
			for _, d := range l.Dests {
				full = full || users[d] >= n
			}
			if !full {
				take(l)
				picked = append(picked, i)
			}
		}
		return picked
	}
}

// shape is a drain to be simulated.
type shape struct {
	name    string
	brokers int32
	racks   int32
	drained int32
	moves   int     // of each drained broker
	bytes   float64 // of each drained broker
	topics  int
	sigma   float64 // between topics
	skew    float64 // within one
	largest float64
}

// The shapes of planning.md D.1 that the bars name, in their sizes: what is on
// the drained brokers, and how skewed it is.
var shapes = []shape{
	{"M", 100, 3, 1, 1495, 4.4e12, 1000, 1.6, 0.5, 181e9},
	{"B", 100, 3, 1, 1497, 4.4e12, 1000, 1.0, 0.4, 60e9},
	{"B, 5 brokers", 100, 3, 5, 1516, 4.4e12, 1000, 1.0, 0.4, 60e9},
	{"L", 300, 3, 1, 2033, 4.4e12, 4000, 1.6, 0.5, 161e9},
	{"T", 30, 3, 1, 4003, 4003 * 30e6, 400, 1.2, 0.5, 1e9},
}

// rng is SplitMix64: the same in every release of Go.
type rng uint64

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *rng) float() float64 { return float64(r.next()>>11) / (1 << 53) }

// normal is by Box and Muller.
func (r *rng) normal() float64 {
	return math.Sqrt(-2*math.Log(1-r.float())) * math.Cos(2*math.Pi*r.float())
}

func (r *rng) n(n int32) int32 { return int32(r.next() % uint64(n)) }

// loads draws the moves of a shape and places them as a planner does: into the
// rack that is left, the emptiest broker first, largest first; read from the
// survivor with the least to send where there is a choice.
func (s shape) loads() []Load {
	r := rng(1)
	var loads []Load
	for d := range s.drained {
		sizes := s.sizes(&r)
		for i := range sizes {
			loads = append(loads, Load{Source: -1 - d%s.racks, Dests: []int32{0}, Left: int64(sizes[i])})
		}
	}
	order := upTo(len(loads))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(loads[b].Left, loads[a].Left) })
	in, out := make([]int64, s.brokers), make([]int64, s.brokers)
	for _, i := range order {
		l := &loads[i]
		rack := -1 - l.Source
		l.Dests[0] = s.least(in, rack)
		first, second := s.any(&r, (rack+1)%s.racks), s.any(&r, (rack+2)%s.racks)
		if l.Source = first; r.float() < 0.67 && out[second] < out[first] {
			l.Source = second
		}
		in[l.Dests[0]] += l.Left
		out[l.Source] += l.Left
	}
	return loads
}

// sizes are lognormal for each topic and within it, in topic order, five in a
// hundred empty.
func (s shape) sizes(r *rng) []float64 {
	sizes := make([]float64, s.moves)
	var sum, scale float64
	for i := range sizes {
		if i == 0 || r.float() < float64(s.topics)/float64(s.moves) {
			scale = s.sigma * r.normal()
		}
		sizes[i] = math.Exp(scale + s.skew*r.normal())
		if r.float() < 0.05 {
			sizes[i] = 0
		}
		sum += sizes[i]
	}
	for i := range sizes {
		sizes[i] = min(sizes[i]*s.bytes/sum, s.largest)
	}
	return sizes
}

// least is the survivor of a rack with the fewest bytes.
func (s shape) least(bytes []int64, rack int32) int32 {
	best := int32(-1)
	for b := s.drained; b < s.brokers; b++ {
		if b%s.racks == rack && (best < 0 || bytes[b] < bytes[best]) {
			best = b
		}
	}
	return best
}

// any is a survivor of a rack.
func (s shape) any(r *rng, rack int32) int32 {
	for {
		if b := r.n(s.brokers); b >= s.drained && b%s.racks == rack {
			return b
		}
	}
}
