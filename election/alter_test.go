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

func TestAlterElectsOnlyWhoMayLead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		before, after election.Partition // after the ISR became that of after
	}{
		{
			"the leader left the ISR, and broker 0 is not alive",
			election.Partition{Leader: 1, Replicas: []int32{0, 1}, ISR: []int32{0, 1}},
			election.Partition{Leader: election.NoLeader, Replicas: []int32{0, 1}, ISR: []int32{0}},
		},
		{
			"the leader left the ISR, and 2 has its log dir offline",
			election.Partition{Leader: 1, Replicas: []int32{2, 1}, ISR: []int32{2, 1}, Offline: []int32{2}},
			election.Partition{Leader: election.NoLeader, Replicas: []int32{2, 1}, ISR: []int32{2}, Offline: []int32{2}},
		},
		{
			"broker 0 left the ISR, and stays eligible",
			election.Partition{Leader: 1, Replicas: []int32{0, 1}, ISR: []int32{0, 1}, MinISR: 2},
			election.Partition{Leader: 1, Replicas: []int32{0, 1}, ISR: []int32{1}, ELR: []int32{0}, MinISR: 2},
		},
	} {
		live := func(id int32) bool { return id != 0 }
		rules := election.Rules{ELR: c.before.MinISR > 0}
		if got := rules.Alter(c.before, live, c.after.ISR); !reflect.DeepEqual(got, c.after) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.name, got, c.after)
		}
	}
}
