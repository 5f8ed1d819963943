package executor

import (
	"reflect"
	"testing"

	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

// What a run's journal holds of the cluster before it is what every process of
// the run judges by; brokers that it stopped itself are not missed.
func TestStartIsWhatTheJournalHolds(t *testing.T) {
	t.Parallel()
	if got := fold(nil).start(); got != nil {
		t.Errorf("without a record: got %+v, want nil", got)
	}
	sick := []Health{
		{Partition: Partition{Topic: "b", Partition: 2}, Leaderless: true},
		{Partition: Partition{Topic: "b", Partition: 1}, Missing: 1},
		{Partition: Partition{Topic: "b", Partition: 0}, UnderMin: true, Missing: 2},
		{Partition: Partition{Topic: "a", Partition: 0}, UnderMin: true},
	}
	h := fold([]Record{
		{N: 1, Kind: KindHeader, Header: &Header{}},
		{N: 2, Kind: KindBaseline, Baseline: &Baseline{Live: []int32{1, 2, 3}, Sick: sick}},
		{N: 3, Kind: KindEnd, Step: 5, Name: runbooks.Stop, Broker: 2},
	})
	want := &reassign.Start{
		Live:       []int32{1, 3},
		Leaderless: []plan.TopicPartition{{Topic: "b", Partition: 2}},
		UnderMin:   []plan.TopicPartition{{Topic: "a"}, {Topic: "b"}},
	}
	if got := h.start(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
