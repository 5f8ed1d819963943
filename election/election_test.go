package election

import (
	"slices"
	"testing"
)

func TestOfflineElectsTheFirstReplicaThatIsLiveInSyncAndReadable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                         string
		replicas, isr, away, offline string
		want                         int32
	}{
		{"the first in assignment order", "3,1,2", "1,2,3", "", "", 3},
		{"the first is out of sync", "3,1,2", "2,1", "", "", 1},
		{"the first is not alive", "3,1,2", "1,2,3", "3", "", 1},
		{"the first has its log dir offline", "3,1,2", "1,2,3", "", "3", 1},
		{"broker 0 is not alive", "0,1", "0,1", "0", "", 1},
		{"broker 0 is alive", "0,1", "0,1", "", "", 0},
		{"only a member that is no replica is alive", "3,1", "3,7", "3", "", NoLeader},
	} {
		away := ids(t, c.away)
		p := Partition{Leader: 3, Replicas: ids(t, c.replicas), ISR: ids(t, c.isr), Offline: ids(t, c.offline)}
		if got := Offline(p, func(id int32) bool { return !slices.Contains(away, id) }); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestModesHaveTheWordsOfASnapshot(t *testing.T) {
	t.Parallel()
	if got := []string{KRaft.String(), ZooKeeper.String()}; !slices.Equal(got, []string{"kraft", "zookeeper"}) {
		t.Errorf("got %q", got)
	}
}
