package executor

import (
	"fmt"
	"slices"

	"drain/election"
	"drain/plan"
)

// lost is what the cluster would lose without the brokers that leave, by the
// offline election: partitions without a leader, with one out of sync, or newly
// under their min ISR. Brokers that other runs drain may go at any time: what they
// would lose by themselves is their affair, and what gets worse because these go
// too is ours.
func lost(c *plan.Cluster, leaving, draining []int32) []plan.Finding {
	alone := unsafe(c, leaving)
	all := losses(alone, "without "+plan.BrokerNames(leaving))
	if len(draining) == 0 {
		return all
	}
	known := map[plan.TopicPartition]election.Outcome{}
	for _, p := range slices.Concat(alone, unsafe(c, draining)) {
		known[p.TopicPartition] = max(known[p.TopicPartition], p.After.Outcome)
	}
	both := slices.DeleteFunc(unsafe(c, union(leaving, draining)), func(p plan.Prediction) bool { return p.After.Outcome <= known[p.TopicPartition] })
	return append(all, losses(both, fmt.Sprintf("without %s, and %s, which another run may stop", plan.BrokerNames(leaving), plan.BrokerNames(draining)))...)
}

// losses are blocks, one for each prediction; without says of whom.
func losses(unsafe []plan.Prediction, without string) []plan.Finding {
	var all []plan.Finding
	for _, p := range unsafe {
		all = append(all, plan.Finding{
			Level: plan.Block, Risk: plan.OutcomeRisk(p.After.Outcome), Topic: p.Topic, Partition: p.Partition, Broker: none,
			Message: fmt.Sprintf("%s, %v would be %v: %s", without, p.TopicPartition, p.After.Outcome, p.After.Reason()),
			Remedy:  "move it, or bring its other replicas in sync",
		})
	}
	return all
}

// unsafe are the partitions with a bad outcome, by a crash or by a controlled
// shutdown.
func unsafe(c *plan.Cluster, brokers []int32) []plan.Prediction {
	report := plan.Check(c, brokers)
	return slices.DeleteFunc(slices.Concat(report.Touched, report.OnStop), func(p plan.Prediction) bool { return p.After.Outcome.Safe() })
}

// proven is what a prediction says that will be worse and a person accepted.
func proven(findings []plan.Finding) []Health {
	var all []Health
	for _, f := range findings {
		under, unclean := f.Risk == plan.OutcomeRisk(election.UnderMinISR), f.Risk == plan.OutcomeRisk(election.UncleanLeader)
		leaderless := f.Risk == plan.OutcomeRisk(election.Leaderless)
		if f.Level == plan.Warn && f.Topic != "" && (under || unclean || leaderless) {
			all = append(all, Health{Partition: Partition{Topic: f.Topic, Partition: f.Partition}, Leaderless: leaderless, UnderMin: under || leaderless})
		}
	}
	return all
}
