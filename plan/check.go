package plan

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"drain/election"
)

// Prediction is what the loss of brokers does to one partition.
type Prediction struct {
	TopicPartition
	Leader int32 // now, or NoLeader
	After  election.Result
}

// Counts are numbers of partitions by outcome. Partitions is all of them, the
// sum of the outcomes; those left at their min ISR have an outcome as well.
type Counts struct {
	Partitions, Unaffected, Elected, UnderMinISR, Unclean, Leaderless int

	AtMinISR int // left exactly at their minimum: the next fault stops writes
}

// Report is what would happen if brokers died now, all at once.
type Report struct {
	Brokers []int32 // ascending
	// Touched are the partitions whose outcome is not unaffected, and those
	// that lose an in-sync replica and nothing else, in order.
	Touched []Prediction
	Counts  Counts
	// OnStop are the partitions that a controlled shutdown would leave in
	// another state than a crash, or could not move while the broker runs.
	// Empty for KRaft, which writes the same for both.
	OnStop []Prediction
	// Warnings are what the loss does not do: partitions that are short or
	// leaderless already, and what could not be told. Sorted.
	Warnings []Finding

	cluster *Cluster
	rules   election.Rules // the likeliest of those predicted under
}

// Check predicts what happens to each partition of the cluster if the brokers
// die now, in whatever order Kafka takes them. Where releases are given, the
// likeliest first, it is predicted under each of them and the worst counts; with
// none, under those that the cluster may run, else its release, or the newest of
// its metadata version. Partitions without a replica on the brokers cost no more
// than the look at their lists.
func Check(c *Cluster, brokers []int32, releases ...election.Release) Report {
	k := newCheck(c, brokers, releases)
	for i := range c.NumPartitions() {
		if k.touches(i) {
			k.predict(i)
		}
		k.notice(i)
	}
	k.report.Counts.settle(c.NumPartitions())
	k.report.Warnings = append(k.report.Warnings, c.Notes...)
	slices.SortStableFunc(k.report.Warnings, CompareFindings)
	return k.report
}

// Safe is whether nothing is lost: no partition has an outcome worse than
// elected, but for those whose risk word is accepted.
func (r *Report) Safe(accepted ...string) bool {
	for outcome, n := range map[election.Outcome]int{
		election.Leaderless: r.Counts.Leaderless, election.UncleanLeader: r.Counts.Unclean, election.UnderMinISR: r.Counts.UnderMinISR,
	} {
		if n > 0 && !slices.Contains(accepted, OutcomeRisk(outcome)) {
			return false
		}
	}
	return true
}

// OutcomeRisk is the risk word that accepts an outcome, empty for a harmless one.
func OutcomeRisk(o election.Outcome) string {
	switch o {
	case election.Leaderless:
		return "leaderless"
	case election.UncleanLeader:
		return "unclean"
	case election.UnderMinISR:
		return "under-min-isr"
	}
	return ""
}

// All are the predictions for every partition of the cluster, in order, the
// untouched ones too.
func (r *Report) All() iter.Seq[Prediction] {
	return func(yield func(Prediction) bool) {
		next, b := 0, newBallots(r.cluster)
		for i := range r.cluster.NumPartitions() {
			name := r.cluster.Name(i)
			if next < len(r.Touched) && r.Touched[next].TopicPartition == name {
				if !yield(r.Touched[next]) {
					return
				}
				next++
				continue
			}
			p := b.of(i)
			if !yield(Prediction{name, p.Leader, election.Crash(r.rules, b.live, p, nil)}) {
				return
			}
		}
	}
}

// check is a Report in the making.
type check struct {
	c      *Cluster
	rules  []election.Rules
	ballot *ballots
	live   func(int32) bool // of the ballot; made once, since each call would allocate it
	dead   nodeIndex
	report Report
}

func newCheck(c *Cluster, brokers []int32, releases []election.Release) *check {
	k := &check{c: c, rules: c.rules(releases), ballot: newBallots(c)}
	k.report.Brokers = slices.Compact(slices.Sorted(slices.Values(brokers)))
	k.report.cluster, k.report.rules = c, k.rules[0]
	k.live = k.ballot.live
	for i, id := range k.report.Brokers {
		k.dead.set(id, int32(i))
		if _, known := c.Broker(id); !known {
			k.warn("unknown-broker", TopicPartition{Partition: -1}, id,
				fmt.Sprintf("broker %d is not known to the cluster", id), "check the id")
		}
	}
	return k
}

// touches is whether the loss can change the partition. It reads the flat
// arrays: nearly all partitions of a large cluster end here.
func (k *check) touches(i int) bool {
	ps := &k.c.partitions
	for _, id := range ps.replicas[ps.offset[i]:ps.offset[i+1]] {
		if k.dead.of(id) >= 0 {
			return true
		}
	}
	// A ZooKeeper controller tries each partition again whose leader is not
	// online; an ISR member may be no replica.
	if k.c.Mode == ZooKeeper && !k.ballot.live(ps.leader[i]) {
		return true
	}
	if ps.rareAt == nil || ps.rareAt[i] < 0 {
		return false
	}
	v := ps.view(i)
	return slices.ContainsFunc(v.ISR, func(id int32) bool { return k.dead.of(id) >= 0 }) ||
		k.c.Mode == ZooKeeper && slices.Contains(v.Offline, v.Leader)
}

// predict adds the worst over the rules to the report.
func (k *check) predict(i int) {
	p := k.ballot.of(i)
	crash, differs := worstOver(k.rules, func(r election.Rules) election.Result {
		return election.Crash(r, k.live, p, k.report.Brokers)
	})
	row := Prediction{k.c.Name(i), p.Leader, crash}
	if crash.Touched || crash.Outcome != election.Unaffected {
		k.report.Touched = append(k.report.Touched, row)
		k.report.Counts.add(&crash)
	}
	if differs {
		k.warn("release-unknown", row.TopicPartition, -1,
			fmt.Sprintf("%v: what becomes of it hangs on the release of the controllers, which may be any of %s; the worst is told", row.TopicPartition, k.releases()),
			"finish the upgrade, the metadata version included")
	}
	if crash.UncleanUnknown {
		k.warn("unclean-unknown", row.TopicPartition, -1,
			"predicted with unclean election off, and nobody could tell whether it is: if it is on, a broker out of sync takes over and what it lacks is lost",
			"set unclean.leader.election.enable for the topic, or as the cluster default")
	}
	if k.c.Mode == ZooKeeper {
		k.predictStop(row, p)
	}
}

// releases are those of the rules that are predicted under.
func (k *check) releases() string {
	names := make([]string, len(k.rules))
	for i, r := range k.rules {
		names[i] = r.Release.String()
	}
	return strings.Join(names, ", ")
}

func (k *check) predictStop(row Prediction, p election.Partition) {
	stop, _ := worstOver(k.rules, func(r election.Rules) election.Result {
		return election.Shutdown(r, k.live, p, k.report.Brokers)
	})
	crash := row.After
	if stop.StillLed || stop.Leader != crash.Leader || stop.Outcome != crash.Outcome || !sameSet(stop.ISR, crash.ISR) {
		row.After = stop
		k.report.OnStop = append(k.report.OnStop, row)
	}
}

// notice warns of a partition that is leaderless already, or short and left so.
func (k *check) notice(i int) {
	ps := &k.c.partitions
	leader, inSync := ps.leader[i], int(ps.offset[i+1]-ps.offset[i])
	if ps.rareAt != nil && ps.rareAt[i] >= 0 {
		inSync = len(ps.view(i).ISR)
	}
	k.ballot.settle(int(ps.topic[i]))
	if leader != NoLeader && inSync >= k.ballot.minISR {
		return
	}
	p, name := k.ballot.of(i), k.c.Name(i)
	if leader == NoLeader {
		k.warn("already-leaderless", name, -1, fmt.Sprintf("%s is leaderless already, with %s in its ISR and %s in its ELR", name, inOrder(p.ISR), inOrder(p.ELR)),
			"see what drain diagnose says")
		return
	}
	minISR := k.report.rules.MinISR(p)
	if inSync >= minISR || k.lastIs(name, election.UnderMinISR) {
		return
	}
	k.warn("already-under-min-isr", name, -1, fmt.Sprintf("%s is under its min ISR already: %s in sync, %d needed", name, inOrder(p.ISR), minISR),
		"wait until its replicas are in sync, or see which of them are down")
}

// lastIs is whether the partition is the one predicted last, and with at least
// that outcome: then it is no mere warning.
func (k *check) lastIs(name TopicPartition, o election.Outcome) bool {
	n := len(k.report.Touched)
	return n > 0 && k.report.Touched[n-1].TopicPartition == name && k.report.Touched[n-1].After.Outcome >= o
}

func (k *check) warn(risk string, name TopicPartition, broker int32, message, remedy string) {
	k.report.Warnings = append(k.report.Warnings, Finding{
		Level: Warn, Risk: risk, Topic: name.Topic, Partition: name.Partition, Broker: broker, Message: message, Remedy: remedy,
	})
}

func (n *Counts) add(res *election.Result) {
	switch res.Outcome {
	case election.Leaderless:
		n.Leaderless++
	case election.UncleanLeader:
		n.Unclean++
	case election.UnderMinISR:
		n.UnderMinISR++
	case election.Elected:
		n.Elected++
	}
	if res.AtMinISR {
		n.AtMinISR++
	}
}

// settle counts the rest as unaffected.
func (n *Counts) settle(partitions int) {
	n.Partitions = partitions
	n.Unaffected = partitions - n.Elected - n.UnderMinISR - n.Unclean - n.Leaderless
}

// inOrder is broker ids as a person writes them, such as [2 3].
func inOrder(ids []int32) string { return fmt.Sprint(slices.Sorted(slices.Values(ids))) }
