package plan

import "slices"

// checks are what is looked at before a drain. Each is small, names its risk
// word, and finds all that it can find.
var checks = []func(*drain, *Plan) []Finding{
	foreignMoves, leaderless, excludedTopics, excludedAtRisk, // partitions that cannot be moved at all
	unplaced, racksLost, withoutRack, // where the replicas go
	underReplicated, cordonedSurvivors, // what may keep a move from ending
	belowMinISR, singleReplicas, internalTopics, unknownSizes, // what it means for clients
	tooLong, foreignThrottles, reducedRedundancy,
	quorumLost, sharedHosts, // what the stop takes with it
	noDestinations, unknownExcluded, unknownTopics, // names that nobody answers to
}

func (d *drain) findings(p *Plan) []Finding {
	all := slices.Clone(d.c.Notes)
	for _, check := range checks {
		all = append(all, check(d, p)...)
	}
	all = Soften(all, d.r.AcceptRisks)
	slices.SortStableFunc(all, CompareFindings)
	return slices.Compact(all)
}

// about is a finding about one partition.
func (d *drain) about(partition int32, f Finding) Finding {
	name := d.c.Name(int(partition))
	f.Topic, f.Partition = name.Topic, name.Partition
	return f
}

// byTopic counts partitions by topic and makes one finding of each topic.
func (d *drain) byTopic(partitions []int32, find func(topic int, count int) Finding) []Finding {
	var found []Finding
	for i := 0; i < len(partitions); {
		topic := d.c.partitions.topic[partitions[i]]
		j := i
		for j < len(partitions) && d.c.partitions.topic[partitions[j]] == topic {
			j++
		}
		f := find(int(topic), j-i)
		f.Topic, f.Partition, f.Broker = d.c.Topics[topic].Name, -1, -1
		found = append(found, f)
		i = j
	}
	return found
}

// planned lists the partitions that the drain wants to move, in order.
func (d *drain) planned(keep func(partition int32) bool) []int32 {
	var list []int32
	for _, i := range d.fates[moved] {
		if keep(i) {
			list = append(list, i)
		}
	}
	return list
}

// onlyCount is "no broker", "only 1 broker", "only 2 brokers".
func onlyCount(n int, what string) string {
	if n == 0 {
		return "no " + what
	}
	return "only " + count(n, what)
}

// count is "1 partition", "2 partitions".
func count(n int, what string) string { return Count(n, what, what+"s") }
