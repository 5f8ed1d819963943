package simkafka

import (
	"fmt"
	"maps"
)

// Named is the Spec of an embedded cluster.
func Named(name string) (Spec, error) {
	spec, ok := embedded[name]
	if !ok {
		return Spec{}, fmt.Errorf("no simulated cluster %q: embedded are %v", name, sorted(maps.Keys(embedded)))
	}
	return spec(), nil
}

var embedded = map[string]func() Spec{"log-cluster": logCluster}

const mb = 1_000_000

// logCluster is the shape of the incident: two slow brokers, 1 and 2, among
// five new ones in three racks; a log topic whose partitions have one replica
// each, twelve of them on broker 1, beside topics with three; and a default
// min.insync.replicas of 2, which a single replica can not meet once it moves.
//
// A throttle of 12MB/s copies the 75 MB that only broker 1 has in 6.2 s.
func logCluster() Spec {
	s := Spec{
		Release: "4.4", ELR: true,
		Static:   map[string]string{"broker.session.timeout.ms": "1500", "broker.heartbeat.interval.ms": "500"},
		Defaults: map[string]string{minISRKey: "2"},
		Quorum: Quorum{LeaderID: 101, Voters: []Voter{
			{ID: 101, Host: "controller-1", Port: 9093},
			{ID: 102, Host: "controller-2", Port: 9093},
			{ID: 103, Host: "controller-3", Port: 9093},
		}},
	}
	for id := int32(1); id <= 7; id++ {
		b := Broker{ID: id, Rack: string('a' + (id-1)%3), BytesPerSec: 250 * mb, Dirs: []Dir{{Path: "/data", Bytes: 4000 * mb, Other: 400 * mb}}}
		if id <= 2 {
			b.BytesPerSec, b.Dirs[0].Bytes = 30*mb, 2000*mb
		}
		s.Brokers = append(s.Brokers, b)
	}
	s.Topics = []Topic{
		{Name: "__consumer_offsets", Configs: map[string]string{"cleanup.policy": "compact"}, Partitions: spread(8, 0, mb)},
		{Name: "customers", Configs: map[string]string{"cleanup.policy": "compact"}, Partitions: spread(6, 1, 3*mb)},
		{Name: "log", Configs: map[string]string{"retention.ms": "86400000"}, Partitions: singles()},
		{Name: "pay", Partitions: spread(12, 2, 4*mb)},
	}
	return s
}

// singles are the 36 partitions of the log topic: every third is on broker 1,
// the others on 2 to 7 by turns.
func singles() []Partition {
	var all []Partition
	other := int32(2)
	for i := range 36 {
		at := int32(1)
		if i%3 > 0 {
			at, other = other, other%7+1
			if other == 1 {
				other = 2
			}
		}
		all = append(all, Partition{Replicas: []int32{at}, Bytes: int64(55+i%5*4) * mb / 10})
	}
	return all
}

// spread lays out topics with three replicas: one broker of each rack, the
// leader in each rack by turns.
func spread(partitions, shift int, bytes int64) []Partition {
	racks := [][]int32{{1, 4, 7}, {2, 5}, {3, 6}}
	var all []Partition
	for i := range partitions {
		p := Partition{Bytes: bytes + int64(i%4)*bytes/4}
		for r := range racks {
			rack := racks[(i+r+shift)%3]
			p.Replicas = append(p.Replicas, rack[(i/3+r)%len(rack)])
		}
		all = append(all, p)
	}
	return all
}
