package main

import (
	"context"
	"fmt"

	"drain/election"
	"drain/plan"
	"drain/runbooks"
)

// playIncident says, on a simulated cluster, what a plain kill would have done:
// the incident that drain is the cure for.
func (s *session) playIncident(ctx context.Context, t *target, rb runbooks.Runbook) error {
	if t.sim == nil || s.output == "json" {
		return nil
	}
	cluster, err := t.snapshot(ctx, rb)
	if err != nil {
		return err
	}
	if err := plan.CheckBrokers(&cluster, rb.Brokers); err != nil {
		return usageOf(err)
	}
	report := plan.Check(&cluster, rb.Brokers)
	fmt.Fprintf(s.stderr, "This is a simulated cluster: %s, %s, %s. Nothing real is touched.\n",
		plan.Count(len(cluster.Brokers), "broker", "brokers"), plan.Count(len(cluster.Topics), "topic", "topics"),
		plan.Count(cluster.NumPartitions(), "partition", "partitions"))
	fmt.Fprintf(s.stderr, "Without the drain, %s would lose their leader when %s is killed%s.\n\n",
		plan.Count(report.Counts.Leaderless, "partition", "partitions"), plan.BrokerNames(rb.Brokers), exampleOf(&report))
	return nil
}

// exampleOf is one partition that would be lost, and what would be left of it.
func exampleOf(r *plan.Report) string {
	for _, p := range r.Touched {
		if p.After.Outcome == election.Leaderless {
			return fmt.Sprintf(" (%v: leader %d, ISR %v)", p.TopicPartition, p.After.Leader, listed(p.After.ISR))
		}
	}
	return ""
}
