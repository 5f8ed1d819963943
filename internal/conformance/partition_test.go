package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"drain/election"
)

// random makes partitions and events from a seed.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 2))} }

// oneIn is true in one of n cases.
func (r random) oneIn(n int) bool { return r.IntN(n) == 0 }

// some is each of ids with a chance in percent.
func (r random) some(ids []int32, percent int) []int32 {
	var chosen []int32
	for _, id := range ids {
		if r.IntN(100) < percent {
			chosen = append(chosen, id)
		}
	}
	return chosen
}

func (r random) shuffled(ids []int32) []int32 {
	ids = slices.Clone(ids)
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}

// partition is a random one with one to five replicas on the brokers.
func (r random) partition(brokers []int32, rules election.Rules, dirs bool) election.Partition {
	p := election.Partition{
		Leader: election.NoLeader, Replicas: r.shuffled(brokers)[:1+r.IntN(5)],
		MinISR: 1 + r.IntN(3), FirstReplicas: r.IntN(4), Recovering: r.oneIn(10),
	}
	if r.oneIn(2) {
		p.Unclean = election.On
	}
	p.ISR = r.shuffled(r.some(p.Replicas, 60))
	if len(p.ISR) == 0 && (!rules.ELR || !r.oneIn(3)) {
		p.ISR = p.Replicas[:1]
	}
	if len(p.ISR) > 0 && !r.oneIn(8) {
		p.Leader = p.ISR[r.IntN(len(p.ISR))]
	}
	if rules.ELR {
		p.ELR = slices.Sorted(slices.Values(r.some(minus(p.Replicas, p.ISR), 40)))
		if p.Leader == election.NoLeader && r.oneIn(2) {
			p.LastKnown = []int32{p.Replicas[0]}
		}
	}
	if dirs && r.oneIn(4) {
		p.Offline = r.some(p.Replicas, 30)
	}
	return p
}

// inFlight gives a partition a reassignment: target first, then what leaves,
// as KRaft stores it (PartitionReassignmentReplicas sorts it).
func (r random) inFlight(p *election.Partition) {
	target := 1 + r.IntN(len(p.Replicas))
	p.Removing = slices.Sorted(slices.Values(p.Replicas[target:]))
	p.Replicas = slices.Concat(p.Replicas[:target], p.Removing)
	p.Adding = slices.Sorted(slices.Values(r.some(p.Replicas[:target], 40)))
}

func minus(ids, drop []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int32) bool { return slices.Contains(drop, id) })
}

// stateOf spells what a controller stores of a partition, as the judges do:
// what has no order ascending.
func stateOf(p election.Partition) string {
	return fmt.Sprint(p.Leader, " ", joined(p.Replicas), " ", ascending(p.ISR), " ", ascending(p.ELR), " ", joined(p.LastKnown),
		" ", ascending(p.Adding), " ", ascending(p.Removing), " ", p.Recovering)
}

// endOf is stateOf for a prediction.
func endOf(res election.Result) string {
	return stateOf(election.Partition{
		Leader: res.Leader, Replicas: res.Replicas, ISR: res.ISR, ELR: res.ELR, LastKnown: res.LastKnown,
		Adding: res.Adding, Removing: res.Removing, Recovering: res.Recovering,
	})
}

func ascending(ids []int32) string { return joined(slices.Sorted(slices.Values(ids))) }

func joined(ids []int32) string {
	if len(ids) == 0 {
		return "-"
	}
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Itoa(int(id))
	}
	return strings.Join(words, ",")
}
