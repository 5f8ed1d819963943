package main

import (
	"fmt"
	"strings"

	"drain/internal/kafka"
	"drain/plan"
)

// missingRights are the rights that a drain of these brokers needs and the login
// has not, found before the first change. Where Kafka does not tell what the
// login may do, nothing is said: the requests themselves will.
func missingRights(r kafka.Rights, c *plan.Cluster, drained []int32) []plan.Finding {
	var findings []plan.Finding
	if may := r.Cluster; may != 0 {
		if !may.Has(kafka.Alter) {
			findings = append(findings, missing("ALTER on the cluster, to move replicas and elect leaders"))
		}
		if !may.Has(kafka.AlterConfigs) {
			findings = append(findings, missing("ALTER_CONFIGS on the cluster, to throttle and to cordon brokers"))
		}
	}
	held := topicsOn(c, drained)
	var without []string
	for _, t := range r.Topics {
		if t.Operations != 0 && held[t.Topic] && !t.Has(kafka.AlterConfigs) {
			without = append(without, t.Topic)
		}
	}
	if len(without) > 0 {
		shown := strings.Join(without[:min(len(without), 3)], ", ")
		findings = append(findings, missing(fmt.Sprintf("ALTER_CONFIGS on %s (%s), to throttle their moves", plan.Count(len(without), "topic", "topics"), shown)))
	}
	return findings
}

func missing(what string) plan.Finding {
	return plan.Finding{
		Level: plan.Block, Risk: "missing-rights", Partition: -1, Broker: -1,
		Message: "the login lacks " + what,
		Remedy:  "grant it; the README lists the rights that a run needs",
	}
}

// topicsOn are the topics with a replica on one of the brokers.
func topicsOn(c *plan.Cluster, brokers []int32) map[string]bool {
	held := map[string]bool{}
	for i := range c.NumPartitions() {
		for _, b := range brokers {
			if c.Partition(i).Holds(b) {
				held[c.Name(i).Topic] = true
			}
		}
	}
	return held
}
