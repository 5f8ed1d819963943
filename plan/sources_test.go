package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// reading is a small drain whose partitions have one survivor or more to be read
// from, with a few large ones among them.
func reading(rng *rand.Rand) *drain {
	brokers, drained := 4+rng.IntN(4), 1+rng.IntN(2)
	b := Builder{Head: Cluster{MinISRDefault: 1}}
	for id := range brokers {
		broker := Broker{ID: int32(id), Rack: fmt.Sprint("r", id%3), CapacityBytes: 1 << 40, UsableBytes: Unknown}
		if id == brokers-1 && rng.IntN(3) == 0 {
			broker.Throttle.Leader = 50
		}
		b.Broker(broker)
	}
	b.Topic(Topic{Name: "t"})
	for n := range 1 + rng.IntN(9) {
		v := PartitionView{Number: int32(n), SizeBytes: int64(rng.ExpFloat64() * 1000)}
		for _, id := range rng.Perm(brokers)[:1+rng.IntN(3)] {
			v.Replicas = append(v.Replicas, int32(id))
		}
		v.ISR, v.Leader = v.Replicas, v.Replicas[rng.IntN(len(v.Replicas))]
		b.Partition(v)
	}
	c, err := b.Cluster()
	if err != nil {
		panic(err)
	}
	r := &Request{BytesPerSec: 100}
	for id := range drained {
		r.Brokers = append(r.Brokers, int32(id))
	}
	return newDrain(newSurvey(&c, r))
}

// leastReading tries every reader of every task. A leader sends a replica once for
// each broker that gets it.
func (d *drain) leastReading(i int, out []float64) float64 {
	if i == len(d.tasks) {
		most := 0.0
		for at := range out {
			most = max(most, out[at]/d.nodes[at].sends)
		}
		return most
	}
	t, least := &d.tasks[i], math.Inf(1)
	for _, at := range d.leadersOf(t) {
		out[at] += float64(t.size) * float64(t.count)
		least = min(least, d.leastReading(i+1, out))
		out[at] -= float64(t.size) * float64(t.count)
	}
	return least
}

// What is read is never below what must be, nor is the bound above it; and who
// reads is as good as the best of all choices, or as the other bounds ask for.
func TestReadingAgainstBruteForce(t *testing.T) {
	t.Parallel()
	const cases = 3000
	short := 0
	for seed := range uint64(cases) {
		d := reading(rand.New(rand.NewPCG(seed, 11)))
		if len(d.tasks) == 0 {
			continue
		}
		d.read()
		bounds := d.bounds()
		d.relieve(longest(bounds))
		d.untangle(bounds)
		least := d.leastReading(0, make([]float64, len(d.nodes)))
		if is := d.mostRead(); is < least*(1-1e-9) {
			t.Fatalf("seed %d: %.0f is read, and %.0f has to be", seed, is, least)
		} else if is > max(least, longest(bounds))*1.02 {
			short++
		}
		for _, b := range bounds {
			if b.Name == BoundSources && b.Bytes > least*(1+1e-9) {
				t.Fatalf("seed %d: the bound on reading is %.0f, and %.0f can be had", seed, b.Bytes, least)
			}
		}
	}
	if short > cases/100 {
		t.Errorf("%d of %d read more than has to be", short, cases)
	}
	t.Logf("%d of %d read over 2 %% more than has to be", short, cases)
}
