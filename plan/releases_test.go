package plan

import (
	"slices"
	"strings"
	"testing"

	"drain/election"
)

func TestPossibleReleasesBeginWithTheBrokersAndEndWithTheNewestRules(t *testing.T) {
	t.Parallel()
	for _, k := range []struct {
		name    string
		mode    ControllerMode
		version int
		brokers string
		want    string
	}{
		{"all is upgraded", KRaft, 31, "4.4", "4.4"},
		{"the metadata version lags behind the programs", KRaft, 25, "4.4", "4.4 4.0 4.1"},
		{"a new cluster of 3.9", KRaft, 21, "3.9", "3.9 4.0 4.1 4.3"},
		{"controllers are not upgraded yet", KRaft, 20, "3.8 3.9", "3.8 3.9 4.0 4.1 4.3"},
		{"brokers that say nothing", KRaft, 30, "", "4.3"},
		{"nothing is known", KRaft, 0, "odd", "3.3 3.7 3.8 3.9 4.0 4.1 4.3"},
		{"with ZooKeeper the brokers alone", ZooKeeper, 0, "3.9", "3.9"},
		{"with ZooKeeper amid an upgrade", ZooKeeper, 0, "2.8 3.1 3.9", "2.8 3.9"},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			if got := PossibleReleases(k.mode, k.version, strings.Fields(k.brokers)); !slices.Equal(got, strings.Fields(k.want)) {
				t.Errorf("got %v, want %s", got, k.want)
			}
		})
	}
}

// TestTheWorstOverTheReleasesOfTheClusterCounts: a controller of 3.8 does not
// read the unclean flag, one of 3.9 does; the likeliest decides the rest.
func TestTheWorstOverTheReleasesOfTheClusterCounts(t *testing.T) {
	t.Parallel()
	c := sketched(t, "cluster release=3.9\n"+fourBrokers+"topic a unclean=true\n0 3,1 isr=3")
	for _, k := range []struct {
		releases []string
		want     election.Outcome
		warned   bool
	}{
		{nil, election.UncleanLeader, false},
		{[]string{"3.9", "4.3"}, election.UncleanLeader, false},
		{[]string{"3.9", "3.8"}, election.Leaderless, true},
	} {
		c.Releases = k.releases
		got := Check(c, []int32{3})
		if outcome := got.Touched[0].After.Outcome; outcome != k.want {
			t.Errorf("releases %v: %v, want %v", k.releases, outcome, k.want)
		}
		if warned := len(got.Warnings) == 1 && got.Warnings[0].Risk == "release-unknown"; warned != k.warned {
			t.Errorf("releases %v: warned %v, want %v", k.releases, got.Warnings, k.warned)
		}
	}
}
