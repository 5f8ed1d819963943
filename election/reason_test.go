package election

import (
	"slices"
	"testing"
)

func TestReasonsNameTheBrokersAndWhyTheyDoNotFit(t *testing.T) {
	t.Parallel()
	away := []int32{4, 5}
	live := func(id int32) bool { return !slices.Contains(away, id) }
	three := Partition{Leader: 1, Replicas: []int32{1, 2, 3}, ISR: []int32{1, 2, 3}}
	for _, c := range []struct {
		name string
		p    Partition
		dead []int32
		want string
	}{
		{"untouched", three, []int32{9}, "still led by 1"},
		{"follower lost", three, []int32{3}, "still led by 1, with 1, 2 in sync"},
		{"elected", three, []int32{1}, "leadership moves from 1 to 2"},
		{"leaderless before", Partition{Leader: NoLeader, Replicas: []int32{4}, ISR: []int32{4}}, []int32{1}, "leaderless already"},
		{"under the minimum", Partition{Leader: 1, Replicas: []int32{1, 2}, ISR: []int32{1, 2}, MinISR: 2}, []int32{1},
			"led by 2 with 1 in sync (2), but acks=all needs 2: such writes are refused"},
		{"the only replica", Partition{Leader: 1, Replicas: []int32{1}, ISR: []int32{1}}, []int32{1},
			"nobody is left to lead: 1 goes and is the only one in sync"},
		{"each for another reason", Partition{Leader: 1, Replicas: []int32{1, 4, 5, 6, 7, 8}, ISR: []int32{1, 4, 6}, Offline: []int32{5, 6}, Adding: []int32{7}}, []int32{1},
			"nobody is left to lead: 1 goes, 4 is in sync but not alive, 5 is not alive, 6 has its log dir offline, 7 is still being copied, 8 is not in sync"},
		{"unclean", Partition{Leader: 1, Replicas: []int32{1, 2}, ISR: []int32{1}, Unclean: On}, []int32{1},
			"no replica in sync is left, and with unclean election on broker 2, which is out of sync, takes over: what it lacks is lost (1 goes and is the only one in sync, 2 is not in sync)"},
		{"unclean on the way", Partition{Leader: 1, Replicas: []int32{1, 2}, ISR: []int32{1}, Unclean: On}, []int32{1, 2},
			"nobody is left to lead: 1 goes and is the only one in sync, 2 goes; on the way a broker out of sync may lead for a moment, and what it lacks is lost"},
		{"unclean unknown", Partition{Leader: 1, Replicas: []int32{1, 2}, ISR: []int32{1}, Unclean: Unknown}, []int32{1},
			"nobody is left to lead: 1 goes and is the only one in sync, 2 is not in sync; should unclean election be on, a broker out of sync takes over instead"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Crash(Rules{}, live, c.p, c.dead).Reason(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestAPartitionThatAControlledShutdownCannotMoveIsStillLed(t *testing.T) {
	t.Parallel()
	zk, everybody := Rules{Mode: ZooKeeper}, func(int32) bool { return true }
	for _, c := range []struct {
		name string
		p    Partition
		want bool
	}{
		{"alone in sync", Partition{Leader: 1, Replicas: []int32{1, 2}, ISR: []int32{1}}, true},
		{"one replica", Partition{Leader: 1, Replicas: []int32{1}, ISR: []int32{1}}, true},
		{"another in sync", Partition{Leader: 1, Replicas: []int32{1, 2}, ISR: []int32{1, 2}}, false},
		{"follower", Partition{Leader: 2, Replicas: []int32{1, 2}, ISR: []int32{1, 2}}, false},
	} {
		if got := Shutdown(zk, everybody, c.p, []int32{1}).StillLed; got != c.want {
			t.Errorf("%s: still led %v, want %v", c.name, got, c.want)
		}
	}
	if Shutdown(Rules{}, everybody, Partition{Leader: 1, Replicas: []int32{1}, ISR: []int32{1}}, []int32{1}).StillLed {
		t.Error("KRaft lets every broker go, and moves what it leads")
	}
}

func TestOutcomesRiseInSeverity(t *testing.T) {
	t.Parallel()
	var words []string
	for o := Unaffected; o <= Leaderless; o++ {
		words = append(words, o.String())
		if got, want := o.Safe(), o == Unaffected || o == Elected; got != want {
			t.Errorf("%v safe: %v, want %v", o, got, want)
		}
	}
	if want := []string{"unaffected", "elected", "underMinIsr", "unclean", "leaderless"}; !slices.Equal(words, want) {
		t.Errorf("got %v, want %v", words, want)
	}
}
