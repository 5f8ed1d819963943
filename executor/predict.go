package executor

import "drain/plan"

// lost is what the cluster would lose without these brokers, by the offline
// election: partitions without a leader, with an unclean one, or newly under
// their min ISR.
func lost(c *plan.Cluster, without []int32) []plan.Finding {
	return nil
}
