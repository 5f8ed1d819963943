package simkafka

import (
	"slices"
	"strings"
	"testing"

	"drain/plan"
)

const twin = `{"version": 1,
 "cluster": {"id": "abc", "mode": "kraft", "release": "4.2", "metadataVersion": 29, "minInsyncReplicasDefault": 2,
             "quorum": {"leaderId": 9, "voters": [{"id": 9, "host": "c-9"}], "lagging": []}},
 "brokers": [
  {"id": 0, "rack": "a", "host": "kafka-0", "port": 9092, "capacityBytes": 1000, "usableBytes": 600,
   "logDirs": [{"path": "/d", "totalBytes": 1000, "usableBytes": 600}]},
  {"id": 1, "host": "kafka-1", "port": 9092, "state": "fenced"}],
 "topics": [{"name": "t", "configs": {"min.insync.replicas": "1"}, "partitions": [
  {"partition": 3, "leader": 0, "leaderEpoch": 7, "replicas": [0, 1], "isr": [0], "sizeBytes": 100}]}]}`

func TestATwinOfASnapshot(t *testing.T) {
	t.Parallel()
	c, err := plan.ReadSnapshot(strings.NewReader(twin))
	must(t, err)
	simulated(t, FromCluster(c), func(t *testing.T, r *rig) {
		if got := r.Bootstrap(); !slices.Equal(got, []string{"kafka-0:9092"}) {
			t.Errorf("bootstrap: %v", got)
		}
		if got := r.listed(); !slices.Equal(got, []int32{0}) {
			t.Errorf("listed: %v", got)
		}
		s := r.State()
		if s.ID != "abc" || s.Release != "4.2" || s.MetadataVersion != 29 || s.Brokers[1].State != plan.Fenced || s.Topics[0].Configs[minISRKey] != "1" {
			t.Errorf("state: %+v", s)
		}
		p := r.at("t", 0)
		if p.Number != 3 || *p.Leader != 0 || p.LeaderEpoch != 7 || !slices.Equal(p.ISR, []int32{0}) || p.Bytes != 100 {
			t.Errorf("partition: %+v", p)
		}
		if got := r.dirs(0)["/d"]; got.UsableBytes != 600 {
			t.Errorf("usable: got %d, want 600", got.UsableBytes)
		}
	})
}
