package executor

import (
	"fmt"
	"slices"
	"strings"

	"drain/plan"
	"drain/reassign"
)

// question is all that the judgement before a stop rests on.
type question struct {
	target   int32
	leaving  []int32 // target, and the brokers that go or went with it
	draining []int32 // by other runs on this host: may go at any time
	dead     bool    // the target is down already
	stays    bool    // no plan was asked for: what the target holds stays, if nobody is lost

	cluster string // id that the run is about
	scans   [2]*plan.Cluster
	before  health             // before the run
	left    map[Partition]bool // replicas that the plan leaves on the target
	debts   []reassign.Debt    // still owed, without cordons
	accept  []string           // risk words

	logs       []plan.TopicPartition // on the target's disks
	offline    []string              // its log dirs that cannot be read
	logsFailed error                 // why nothing is known of them
}

// verdict is what stands in the way of a stop. With nothing of level Block it
// may be issued.
type verdict struct {
	findings []plan.Finding // sorted
	arrived  []Partition    // replicas that no plan left on the target: they can be moved
	proven   []Health       // what will be worse afterwards, predicted and accepted
}

// rules are the conditions of a stop. All of them are asked, and each tells all
// that it finds.
var rules = []func(question) []plan.Finding{
	sameCluster, completeScans, somebodyStays, nothingListed, nothingInFlight, nothingOnDisk, nothingOwed, quorumHolds, notWorse, nobodyLost,
}

// judge decides whether the target may be stopped. It is pure.
func judge(q question) verdict {
	v := verdict{arrived: arrivals(q)}
	for _, rule := range rules {
		v.findings = append(v.findings, rule(q)...)
	}
	v.findings = plan.Soften(v.findings, q.accept)
	slices.SortFunc(v.findings, plan.CompareFindings)
	v.findings = slices.CompactFunc(v.findings, func(a, b plan.Finding) bool { return plan.CompareFindings(a, b) == 0 })
	v.proven = proven(v.findings)
	return v
}

// finding is a block about the target.
func (q question) finding(risk, remedy, format string, args ...any) plan.Finding {
	return plan.Finding{Level: plan.Block, Risk: risk, Partition: none, Broker: q.target, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

func (q question) about(tp plan.TopicPartition, risk, remedy, format string, args ...any) plan.Finding {
	f := q.finding(risk, remedy, format, args...)
	f.Topic, f.Partition = tp.Topic, tp.Partition
	return f
}

func sameCluster(q question) []plan.Finding {
	for _, c := range q.scans {
		if c.ID != q.cluster {
			return []plan.Finding{q.finding("", "look at the addresses of the runbook", "the answers come from cluster %s, and the run is about %s", c.ID, q.cluster)}
		}
	}
	return nil
}

// completeScans takes what could not be read for what may be there.
func completeScans(q question) []plan.Finding {
	var all []plan.Finding
	for _, c := range q.scans {
		all = append(all, plan.Blocking(c.Notes)...)
	}
	return all
}

// somebodyStays asks for brokers that tell afterwards what became of the target.
func somebodyStays(q question) []plan.Finding {
	for _, c := range q.scans {
		if f := witnessless(c, q.leaving); f != nil {
			return f
		}
	}
	return nil
}

// witnessless is a block if no live broker would be left without these. It has no
// risk word: whether such a stop worked could not be seen, whatever is accepted.
func witnessless(c *plan.Cluster, leaving []int32) []plan.Finding {
	if len(without(live(c), leaving)) > 0 {
		return nil
	}
	return []plan.Finding{{Level: plan.Block, Partition: none, Broker: leaving[0],
		Message: fmt.Sprintf("without %s no live broker is left, which could tell whether the stop has worked", plan.BrokerNames(leaving)),
		Remedy:  "start another broker first, or stop the last one by hand"}}
}

// arrivals are the partitions with a replica on the target that no plan left
// there, in either scan.
func arrivals(q question) []Partition {
	if q.stays {
		return nil
	}
	var all []Partition
	for _, c := range q.scans {
		for i := range c.NumPartitions() {
			if name := Partition(c.Name(i)); c.Partition(i).Holds(q.target) && !q.left[name] {
				all = append(all, name)
			}
		}
	}
	slices.SortFunc(all, func(a, b Partition) int { return plan.TopicPartition(a).Compare(plan.TopicPartition(b)) })
	return slices.Compact(all)
}

func nothingListed(q question) []plan.Finding {
	var all []plan.Finding
	for _, p := range arrivals(q) {
		all = append(all, q.about(plan.TopicPartition(p), "", "run again to move it", "%v has a replica on broker %d", p, q.target))
	}
	return all
}

func nothingInFlight(q question) []plan.Finding {
	var all []plan.Finding
	for _, c := range q.scans {
		for i := range c.NumPartitions() {
			if p := c.Partition(i); p.InFlight() && p.Holds(q.target) {
				name := c.Name(i)
				all = append(all, q.about(name, "", "wait for its end", "a reassignment of %v that names broker %d is in flight", name, q.target))
			}
		}
	}
	return all
}

// nothingOnDisk compares what lies on the target's disks with what lists place
// there. A topic that the login may not see shows nowhere else.
func nothingOnDisk(q question) []plan.Finding {
	if q.dead {
		return nil
	}
	if q.logsFailed != nil {
		return []plan.Finding{q.finding("", "give the login Describe on the cluster", "what lies on the disks of broker %d cannot be told: %v", q.target, q.logsFailed)}
	}
	var all []plan.Finding
	if len(q.offline) > 0 {
		f := q.finding("offline-log-dir", "", "log dirs of broker %d are offline, what they hold cannot be listed: %s", q.target, strings.Join(q.offline, ", "))
		f.Level = plan.Warn
		all = append(all, f)
	}
	for _, log := range q.logs {
		all = append(all, q.strayLog(log)...)
	}
	return all
}

func (q question) strayLog(log plan.TopicPartition) []plan.Finding {
	seen := false
	for _, c := range q.scans {
		_, visible := c.Topic(log.Topic)
		seen = seen || visible
		if i, ok := c.Find(log); ok && c.Partition(i).Holds(q.target) {
			return nil
		}
	}
	if !seen {
		return []plan.Finding{q.about(log, "", "give the login Describe on the topic, and run again",
			"the log of %v lies on broker %d, and the metadata does not show the topic: it may be hidden from this login", log, q.target)}
	}
	return []plan.Finding{q.about(log, "stray-log", "it may be a leftover: accept it if its data is not needed",
		"the log of %v lies on broker %d, and no replica list places it there", log, q.target)}
}

func nothingOwed(q question) []plan.Finding {
	var all []plan.Finding
	for _, d := range q.debts {
		all = append(all, q.finding("", "`drain cleanup` tries again", "%v has not been given back", d))
	}
	return all
}

// quorumHolds asks again for what the check has asked for. That a quorum would only
// become thin was told there, and stands in nobody's way.
func quorumHolds(q question) []plan.Finding {
	var all []plan.Finding
	for _, c := range q.scans {
		all = append(all, plan.Blocking(plan.QuorumWithout(c, q.leaving))...)
	}
	return all
}

func notWorse(q question) []plan.Finding {
	var all []plan.Finding
	for _, c := range q.scans {
		all = append(all, q.before.worse(c, without(q.leaving, live(c)))...)
	}
	return all
}

// without is a, less what b holds.
func without(a, b []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(a), func(id int32) bool { return slices.Contains(b, id) })
}

// nobodyLost asks the offline election what the controllers will do.
func nobodyLost(q question) []plan.Finding {
	var all []plan.Finding
	for _, c := range q.scans {
		all = append(all, lost(c, q.leaving, q.draining)...)
	}
	return all
}

func union(a, b []int32) []int32 {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}
