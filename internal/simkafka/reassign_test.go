package simkafka

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// vector is a run that was made against the real controller classes.
type vector struct {
	name  string
	isr   []int32   // nil: [1 2 3]
	steps [][]int32 // targets in turn, nil cancels
	joins int32     // catches up at the end; 0: nobody
	want  map[string]string
}

// vectors are told in short: R, A and M are the replicas, those that are added, and those that go.
var vectors = []vector{
	{name: "A: rolled back by an explicit target", steps: [][]int32{{4, 2, 3}, {1, 2, 3}}, want: map[string]string{
		"3.7": "R [1 2 3 4] A [4] M [4]", "4.2": "R [1 2 3] A [] M []", "4.3": "R [1 2 3 4] A [4] M [4]"}},
	{name: "B: overridden, then cancelled", steps: [][]int32{{4, 2, 3}, {5, 2, 3}, nil}, want: map[string]string{
		"3.7": "R [2 3 1 4] A [] M []", "4.2": "R [2 3 1 4] A [] M []", "4.3": "R [2 3 1 4] A [] M []"}},
	{name: "C: half of it taken back, and 4 joins", steps: [][]int32{{4, 5, 3}, {4, 2, 3}}, joins: 4, want: map[string]string{
		"3.7": "R [4 2 3 1 5] A [4 5] M [1 5]", "4.2": "R [4 2 3] A [] M []", "4.3": "R [4 2 3 1 5] A [4 5] M [1 5]"}},
	{name: "D: a cancel does not restore the order", steps: [][]int32{{3, 4, 2}, nil}, want: map[string]string{
		"3.7": "R [3 2 1] A [] M []", "4.2": "R [3 2 1] A [] M []", "4.3": "R [3 2 1] A [] M []"}},
	{name: "E: only the leader in sync, and 4 joins", isr: []int32{1}, steps: [][]int32{{4, 2, 3}}, joins: 4, want: map[string]string{
		"3.7": "R [4 2 3] A [] M [] ISR [4]", "4.2": "R [4 2 3 1] A [4] M [1] ISR [1 4]", "4.3": "R [4 2 3] A [] M [] ISR [4]"}},
	{name: "F: a smaller factor, 3 out of sync", isr: []int32{1, 2}, steps: [][]int32{{2, 3}}, want: map[string]string{
		"3.7": "R [2 3] A [] M [] ISR [2]", "4.2": "R [2 3 1] A [] M [1] ISR [1 2]", "4.3": "R [2 3 1] A [] M [1] ISR [1 2]"}},
	{name: "G: the same twice", steps: [][]int32{{4, 2, 3}, {4, 2, 3}}, want: map[string]string{
		"3.7": "R [4 2 3 1] A [4] M [1]", "4.2": "R [4 2 3 1] A [4] M [1]", "4.3": "R [4 2 3 1] A [4] M [1]"}},
}

func TestReassignmentVectorsOfEachRelease(t *testing.T) {
	t.Parallel()
	for _, v := range vectors {
		for release, want := range v.want {
			t.Run(release+" "+v.name, func(t *testing.T) {
				t.Parallel()
				p := Partition{Replicas: []int32{1, 2, 3}, ISR: v.isr, Bytes: 1000, Stuck: stuckBut(v.joins)}
				s := Spec{Release: release, Brokers: brokers(1, 2, 3, 4, 5), Topics: []Topic{{Name: "t", Partitions: []Partition{p}}}}
				simulated(t, s, func(t *testing.T, r *rig) {
					for _, target := range v.steps {
						if code := r.alter("t", 0, target); code != 0 {
							t.Fatalf("target %v: %v", target, kerr.ErrorForCode(code))
						}
					}
					r.wait(time.Second)
					got := r.at("t", 0)
					text := fmt.Sprintf("R %v A %v M %v", got.Replicas, got.Adding, got.Removing)
					if v.isr != nil {
						text += fmt.Sprintf(" ISR %v", got.ISR)
					}
					if text != want {
						t.Errorf("got %s, want %s", text, want)
					}
				})
			})
		}
	}
}

// stuckBut is every broker that is not to catch up.
func stuckBut(joins int32) []int32 {
	var ids []int32
	for id := int32(1); id <= 5; id++ {
		if id != joins {
			ids = append(ids, id)
		}
	}
	return ids
}
