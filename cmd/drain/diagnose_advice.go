package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"drain/plan"
)

// advice puts cures into words and into the commands of Kafka's own tools,
// which drain never runs.
type advice struct{ bootstrap string }

// addressOf is the address of the first live broker, as a tool wants it.
func addressOf(c *plan.Cluster) string {
	for _, b := range c.Brokers {
		if b.Live() && b.Host != "" {
			return b.Address()
		}
	}
	return "HOST:PORT"
}

// says is one cure as a sentence.
func (a advice) says(s *plan.Stuck, c plan.Cure) string {
	switch {
	case c.Action == plan.Wait && c.Loss == plan.Nothing:
		return fmt.Sprintf("wait: broker %d is alive and in sync, the controller should elect it in a moment", c.Broker)
	case c.Action == plan.Wait:
		return fmt.Sprintf("or wait: unclean election is on, so that the controller elects broker %d within five minutes; what it had not copied is lost", c.Broker)
	case c.Action == plan.MendDir:
		return fmt.Sprintf("bring the log dir of this partition on broker %d back and restart the broker: it has all that was acknowledged", c.Broker)
	case c.Action == plan.StartBroker && c.Loss == plan.NotCopied:
		return fmt.Sprintf("only if %s for good: start broker %d. Unclean election is on, so that it leads at once; what it had not copied is lost", lost(s), c.Broker)
	case c.Action == plan.StartBroker:
		return fmt.Sprintf("start broker %d: it has all that was acknowledged%s", c.Broker, afterCrash(c.AfterCrash))
	case c.Action == plan.ElectUncleanly && c.Down:
		return fmt.Sprintf("only if %s for good: start broker %d, which was out of sync, and elect it uncleanly; what it had not copied is lost:", lost(s), c.Broker)
	case c.Action == plan.ElectUncleanly:
		return fmt.Sprintf("only if %s for good: elect broker %d uncleanly, which is out of sync; what it had not copied is lost:", lost(s), c.Broker)
	case len(c.Target) == 0:
		return "if no replica comes back, everything in the partition is lost, and no broker is alive to begin it anew"
	}
	return fmt.Sprintf("only if no replica ever comes back: everything in the partition is lost. To have it back, empty, on %s:", plan.BrokerNames(c.Target))
}

// afterCrash is what to add for a broker that did not stop in order.
func afterCrash(t plan.Trust) string {
	switch t {
	case plan.LastLeader:
		return " (if its host crashed, less what had not reached the disk)"
	case plan.NotElected:
		return " (if it crashed, Kafka may not elect it while others are away: start those too)"
	}
	return ""
}

// lost names the replicas that have everything.
func lost(s *plan.Stuck) string {
	var ids []int32
	for _, r := range s.Replicas {
		if r.InSync || r.Eligible {
			ids = append(ids, r.Broker)
		}
	}
	switch len(ids) {
	case 0:
		return "those that were in sync are lost"
	case 1:
		return plan.BrokerNames(ids) + " is lost"
	}
	return plan.BrokerNames(ids) + " are lost"
}

// commands are what a person would run for a cure, in order; none where nothing
// is to be run on the cluster.
func (a advice) commands(s *plan.Stuck, c plan.Cure) []string {
	elect := fmt.Sprintf("kafka-leader-election.sh --bootstrap-server %s --election-type unclean --topic %s --partition %d", a.bootstrap, s.Topic, s.Partition)
	switch {
	case c.Action == plan.ElectUncleanly:
		return []string{elect}
	case c.Action == plan.Recreate && len(c.Target) > 0:
		file := s.String() + ".json"
		return []string{
			fmt.Sprintf("echo '%s' > %s", reassignmentOf(s.TopicPartition, c.Target), file),
			fmt.Sprintf("kafka-reassign-partitions.sh --bootstrap-server %s --reassignment-json-file %s --execute", a.bootstrap, file),
			elect,
		}
	}
	return nil
}

// reassignmentOf is the file of kafka-reassign-partitions.sh for one partition.
func reassignmentOf(tp plan.TopicPartition, to []int32) []byte {
	text, _ := json.Marshal(reassignmentJSON{Version: 1, Partitions: []reassignmentPartition{ // plain data always encodes
		{Topic: tp.Topic, Partition: tp.Partition, Replicas: to},
	}})
	return text
}

// start is a broker whose start alone brings partitions back with nothing lost.
type start struct {
	broker     int32
	partitions int
}

// starts are the brokers that help most, first.
func starts(found []plan.Stuck) []start {
	counts := map[int32]int{}
	for i := range found {
		for _, c := range found[i].Cures {
			if c.Action == plan.StartBroker && c.Loss == plan.Nothing {
				counts[c.Broker]++
			}
		}
	}
	var all []start
	for broker, n := range counts {
		all = append(all, start{broker, n})
	}
	slices.SortFunc(all, func(a, b start) int {
		if a.partitions != b.partitions {
			return b.partitions - a.partitions
		}
		return int(a.broker - b.broker)
	})
	return all
}
