package simkafka

import (
	"strconv"

	"drain/plan"
)

// FromCluster is the Spec of a twin of a cluster that was read from a snapshot.
// The brokers advertise the addresses they have there: clients need
// [Cluster.Dial]. What the snapshot does not know has the defaults of a Spec.
func FromCluster(c plan.Cluster) Spec {
	s := Spec{
		ID: c.ID, ZooKeeper: c.Mode == plan.ZooKeeper, Release: c.Release,
		MetadataVersion: int16(c.MetadataVersion), ELR: c.ELR,
		Defaults: map[string]string{minISRKey: strconv.Itoa(max(1, c.MinISRDefault))},
	}
	if s.Release == "" && s.ZooKeeper {
		s.Release = "3.9"
	}
	if c.UncleanDefault == plan.On {
		s.Defaults[uncleanKey] = "true"
	}
	if c.Quorum != nil {
		s.Quorum = quorumOf(*c.Quorum)
	}
	for _, b := range c.Brokers {
		s.Brokers = append(s.Brokers, brokerOf(b))
	}
	for _, t := range c.Topics {
		topic := Topic{Name: t.Name, ID: t.ID, Configs: t.Configs}
		for p := t.First; p < t.First+t.Count; p++ {
			topic.Partitions = append(topic.Partitions, partitionOf(c.Partition(p)))
		}
		s.Topics = append(s.Topics, topic)
	}
	return s
}

func quorumOf(q plan.Quorum) Quorum {
	out := Quorum{LeaderID: q.LeaderID}
	for _, v := range q.Voters {
		voter := Voter{ID: v.ID, Host: v.Host, Port: 9093}
		for _, id := range q.Lagging {
			voter.Lagging = voter.Lagging || id == v.ID
		}
		out.Voters = append(out.Voters, voter)
	}
	return out
}

func brokerOf(b plan.Broker) Broker {
	out := Broker{ID: b.ID, Rack: b.Rack, Host: b.Host, Port: b.Port, State: b.State}
	if b.State == plan.ShuttingDown {
		out.State = plan.Fenced // it will be by the time anything moves
	}
	if b.Cordoned {
		out.Configs = map[string]string{cordonedDirs: "*"}
	}
	dirs := b.LogDirs
	if len(dirs) == 0 && b.CapacityBytes != plan.Unknown {
		dirs = []plan.LogDir{{Path: defaultDir.Path, TotalBytes: b.CapacityBytes, UsableBytes: b.UsableBytes}}
	}
	for _, d := range dirs {
		out.Dirs = append(out.Dirs, Dir{Path: d.Path, Bytes: d.TotalBytes, Usable: d.UsableBytes, Offline: d.Offline})
	}
	return out
}

func partitionOf(v plan.PartitionView) Partition {
	return Partition{
		Number: v.Number, Leader: new(v.Leader), LeaderEpoch: max(0, v.LeaderEpoch),
		Replicas: v.Replicas, ISR: append([]int32{}, v.ISR...), Adding: v.Adding, Removing: v.Removing,
		ELR: v.ELR, LastKnownELR: v.LastKnownELR, Bytes: max(0, v.SizeBytes),
	}
}
