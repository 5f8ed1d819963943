package election_test

import (
	"reflect"
	"testing"

	"drain/election"
)

func TestAlterEndsAReassignmentByTheRuleOfTheRelease(t *testing.T) {
	t.Parallel()
	everybody := func(int32) bool { return true }
	inFlight := election.Partition{
		Leader: 1, Replicas: []int32{4, 2, 3, 1}, ISR: []int32{1}, Adding: []int32{4}, Removing: []int32{1},
	}
	waiting := inFlight
	waiting.ISR = []int32{1, 4}
	done := election.Partition{Leader: 4, Replicas: []int32{4, 2, 3}, ISR: []int32{4}}
	// Vector E of the reference: [1,2,3] with ISR [1] to [4,2,3], and 4 joins.
	for release, want := range map[string]election.Partition{"3.7": done, "3.8": waiting, "4.2": waiting, "4.3": done} {
		r, err := election.ParseRelease(release)
		if err != nil {
			t.Fatal(err)
		}
		got := election.Rules{Release: r}.Alter(inFlight, everybody, []int32{1, 4})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", release, got, want)
		}
	}
}
