package plantest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"drain/plan"
)

// Cluster generates the cluster of a shape.
func (s Shape) Cluster(seed uint64) plan.Cluster {
	g := generator{Shape: s, rng: rand.New(rand.NewPCG(seed, 0x5eed))}
	g.brokers()
	g.topics()
	g.place()
	g.sizes()
	return g.build()
}

type generator struct {
	Shape
	rng *rand.Rand

	rack     []int // by broker
	capacity []float64
	count    []int // partitions, by topic
	rf       []int
	replicas [][]int32 // by partition: brokers, from 0
	topic    []int
	size     []float64
}

func (g *generator) brokers() {
	skewed := int(g.RackSkew * float64(g.Brokers))
	for i := range g.Brokers {
		rack := 0
		if i >= skewed && g.Racks > 0 {
			rack = (i - skewed) % g.Racks
		}
		capacity := g.Capacity
		if g.rng.Float64() < g.Double {
			capacity *= 2
		}
		g.rack, g.capacity = append(g.rack, rack), append(g.capacity, capacity)
	}
}

// topics deals the partitions out: few topics have many, most have few. The
// internal topics come first, with 50 each.
func (g *generator) topics() {
	const exponent = 0.8
	weight, sum := make([]float64, g.Topics), 0.0
	for i := range weight {
		weight[i] = math.Pow(float64(i+1), -exponent)
		sum += weight[i]
	}
	g.rng.Shuffle(len(weight), func(i, j int) { weight[i], weight[j] = weight[j], weight[i] })
	g.count, g.rf = []int{50, 50}, []int{min(3, g.RF), min(3, g.RF)}
	left := g.Partitions - g.Topics
	for _, w := range weight {
		n := int(float64(left) * w / sum)
		g.count = append(g.count, 1+n)
		rf := g.RF
		if x := g.rng.Float64(); x < g.Single {
			rf = 1
		} else if x < g.Single+g.Pair {
			rf = min(2, g.RF)
		}
		g.rf = append(g.rf, rf)
	}
}

// place stripes each topic over racks and over a shuffled list of the brokers of
// each, and then moves a tenth of the replicas within their rack.
func (g *generator) place() {
	racks := make([][]int32, max(1, g.Racks))
	for b := range g.Brokers - g.Empty {
		racks[g.rack[b]] = append(racks[g.rack[b]], int32(b))
	}
	for t, n := range g.count {
		for _, r := range racks {
			g.rng.Shuffle(len(r), func(i, j int) { r[i], r[j] = r[j], r[i] })
		}
		start := g.rng.IntN(len(racks))
		for p := range n {
			g.replicas = append(g.replicas, g.stripe(racks, start+p, p, g.rf[t]))
			g.topic = append(g.topic, t)
		}
	}
	const moved = 0.1
	for _, list := range g.replicas {
		for i, b := range list {
			r := racks[g.rack[b]]
			if other := r[g.rng.IntN(len(r))]; g.rng.Float64() < moved && !slices.Contains(list, other) {
				list[i] = other
			}
		}
	}
}

func (g *generator) stripe(racks [][]int32, first, lap, rf int) []int32 {
	list := make([]int32, 0, rf)
	for i := 0; len(list) < rf; i++ {
		r := racks[(first+i)%len(racks)]
		b := r[(lap+i/len(racks))%len(r)]
		for k := 1; slices.Contains(list, b) && k < len(r); k++ {
			b = r[(lap+i/len(racks)+k)%len(r)]
		}
		if !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	return list
}

// sizes draws them, empties one in twenty, and scales them to the fill, with
// none over its limit.
func (g *generator) sizes() {
	const empty = 0.05
	scale := make([]float64, len(g.count))
	for t := range scale {
		scale[t] = g.Tail * g.rng.NormFloat64()
	}
	rank := g.rng.Perm(len(g.replicas))
	for p, t := range g.topic {
		x := math.Exp(scale[t] + g.Skew*g.rng.NormFloat64())
		if g.Zipf {
			x = math.Pow(float64(rank[p]+1), -1.05)
		}
		if g.rng.Float64() < empty {
			x = 0
		}
		g.size = append(g.size, x)
	}
	limit, target := g.MaxPart*g.Capacity, g.Fill*sum(g.capacity)
	if g.Fill == 0 {
		target = g.MeanBytes * float64(len(g.replicas)) * float64(g.RF)
	}
	for range 30 {
		capped, free := 0.0, 0.0
		for p, x := range g.size {
			if copies := float64(len(g.replicas[p])); x >= limit {
				capped += limit * copies
			} else {
				free += x * copies
			}
		}
		for p, x := range g.size {
			if x < limit {
				g.size[p] = min(limit, x*(target-capped)/free)
			}
		}
	}
}

func sum(list []float64) float64 {
	total := 0.0
	for _, x := range list {
		total += x
	}
	return total
}

func (g *generator) build() plan.Cluster {
	b := plan.Builder{Head: plan.Cluster{ID: g.Name, ControllerID: -1, MinISRDefault: 1}}
	for i := range g.Brokers {
		broker := plan.Broker{ID: int32(i + 1), CapacityBytes: int64(g.capacity[i]), UsableBytes: plan.Unknown}
		if g.Racks > 0 {
			broker.Rack = fmt.Sprintf("r%02d", g.rack[i]+1)
		}
		b.Broker(broker)
	}
	p := 0
	for t, n := range g.count {
		b.Topic(plan.Topic{Name: topicName(t), Configs: g.configs(t)})
		for number := range n {
			b.Partition(g.view(p, number))
			p++
		}
	}
	c, err := b.Cluster()
	if err != nil {
		panic(err) // a mistake of this package
	}
	return c
}

func topicName(t int) string {
	if t < 2 {
		return [...]string{"__consumer_offsets", "__transaction_state"}[t]
	}
	return fmt.Sprintf("topic-%06d", t-2)
}

func (g *generator) configs(t int) map[string]string {
	if g.rf[t] >= 3 && t%10 < 7 {
		return map[string]string{"min.insync.replicas": "2"}
	}
	return nil
}

// view is partition p; two in a hundred are led by another than the preferred
// leader.
func (g *generator) view(p, number int) plan.PartitionView {
	const drifted = 0.02
	list := make([]int32, len(g.replicas[p]))
	for i, b := range g.replicas[p] {
		list[i] = b + 1
	}
	v := plan.PartitionView{
		Number: int32(number), Leader: list[0], LeaderEpoch: -1,
		Replicas: list, ISR: list, SizeBytes: int64(g.size[p]),
	}
	if g.rng.Float64() < drifted {
		v.Leader = list[g.rng.IntN(len(list))]
	}
	return v
}
