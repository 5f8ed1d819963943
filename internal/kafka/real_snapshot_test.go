package kafka_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"drain/plan"
	"drain/reassign"
)

func (r realCluster) snapshotIsTrue() {
	got := r.sameAsJudge(plan.Scope{Brokers: []int32{1}, Via: -1, Space: true})
	if len(got.Notes) > 0 {
		r.Errorf("notes: got %+v, want none", got.Notes)
	}
	var racks []string
	for _, b := range got.Brokers {
		racks = append(racks, b.Rack)
		if b.CapacityBytes <= 0 || b.UsableBytes <= 0 || b.UsableBytes > b.CapacityBytes {
			r.Errorf("broker %d: %d of %d bytes usable", b.ID, b.UsableBytes, b.CapacityBytes)
		}
	}
	if want := []string{"a", "b", "c", "a"}; !slices.Equal(racks, want) {
		r.Errorf("racks: got %v, want %v", racks, want)
	}
	four, _ := got.Broker(4)
	var paths []string
	replicas := 0
	for _, dir := range four.LogDirs {
		paths = append(paths, dir.Path)
		replicas += dir.Replicas
	}
	if want := slices.Sorted(slices.Values(r.Dirs(4))); !slices.Equal(paths, want) {
		r.Errorf("log dirs of broker 4: got %v, want %v", paths, want)
	}
	if want := len(r.Describe().OnBroker(4)); replicas != want {
		r.Errorf("logs in the dirs of broker 4: got %d, want %d", replicas, want)
	}
}

func (r realCluster) sizesAreTrue() {
	got := r.snapshot(plan.Scope{Brokers: []int32{1}, Via: 3, Space: true})
	for number, leader := range map[int32]int32{0: 1, 1: 2} {
		of := tp("pay", number)
		want := r.logBytes(leader, of)
		if size := view(r.T, got, of).SizeBytes; size != want {
			r.Errorf("%v: got %d bytes, want the %d of the leader's files", of, size, want)
		}
		sizes, err := r.c.Sizes(r.T.Context(), []int32{leader, 4}, []plan.TopicPartition{of})
		if want := map[reassign.Replica]int64{{TopicPartition: of, Broker: leader}: want}; err != nil || !maps.Equal(sizes, want) {
			r.Errorf("%v: got %v and %v, want %v", of, sizes, err, want)
		}
	}
}

func (r realCluster) logBytes(broker int32, of plan.TopicPartition) int64 {
	r.T.Helper()
	files, err := filepath.Glob(filepath.Join(r.Dir(broker), of.String(), "*.log"))
	if err != nil || len(files) == 0 {
		r.Fatalf("files of %v: %v, %v", of, files, err)
	}
	var bytes int64
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			r.Fatal(err)
		}
		bytes += info.Size()
	}
	return bytes
}

func (r realCluster) kindIsTrue() {
	got := r.snapshot(plan.Scope{Brokers: []int32{1}, Via: -1, Space: true, Rights: true})
	if got.ID != r.ClusterID() || got.Mode != plan.KRaft || got.Release != "4.4" || got.MetadataVersion < 30 || !got.ELR {
		r.Errorf("got %s %v %s %d elr %v, want KRaft 4.4 with ELR", got.ID, got.Mode, got.Release, got.MetadataVersion, got.ELR)
	}
	if got.MinISRDefault != 2 || got.UncleanDefault != plan.Off {
		r.Errorf("defaults: got min ISR %d, unclean %v, want 2 and off", got.MinISRDefault, got.UncleanDefault)
	}
	if want := (&plan.Quorum{LeaderID: 100, Voters: []plan.Voter{{ID: 100, Host: "127.0.0.1"}}}); !reflect.DeepEqual(got.Quorum, want) {
		r.Errorf("quorum: got %+v, want %+v", got.Quorum, want)
	}
	if timeout, err := r.c.SessionTimeout(r.T.Context()); err != nil || timeout != 3*time.Second {
		r.Errorf("session timeout: got %v and %v, want the harness's 3s", timeout, err)
	}
	if lacks := missingRights(r.T, got); lacks != nil {
		r.Errorf("got %q without an authorizer, want all rights", lacks)
	}
}
