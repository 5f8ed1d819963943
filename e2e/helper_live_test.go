package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"drain/internal/kafkatest"
)

// TestRoomIsMadeOnRealDisks drains a broker one of whose replicas has room
// nowhere, until another one has gone from a broker with a small disk and its
// files are erased. The small disks are volumes in memory, which takes the right
// to mount.
func TestRoomIsMadeOnRealDisks(t *testing.T) {
	kafkatest.Need(t)
	const small = 104e6
	brokers := kafkatest.Brokers(4)
	brokers[1].Volume, brokers[3].Volume = small, small
	c := kafkatest.Start(t, kafkatest.Spec{
		Brokers: brokers,
		Config:  map[string]string{"log.segment.delete.delay.ms": "3000"},
	})
	// Sixty megabytes of which broker 3 has a copy already; about fifty are free on
	// brokers 2 and 4, until the twenty of "goes" leave broker 2.
	for topic, of := range map[string]struct {
		replicas []int32
		bytes    int64
	}{
		"large": {[]int32{1, 3}, 60e6},
		"stays": {[]int32{3, 2}, 30e6},
		"goes":  {[]int32{3, 2}, 20e6},
		"other": {[]int32{3, 4}, 50e6},
	} {
		c.CreateTopic(topic, map[int32][]int32{0: of.replicas}, nil)
		c.Fill(topic, of.bytes)
	}
	before := c.Describe()
	p := newPlace(t)
	runbook := p.runbook(runbookFor(c, "20MB/s") + "diskHeadroom: 0\n")
	r := p.drain("run", runbook, "--yes")
	r.want(t, 3)
	if !strings.Contains(r.stderr, "large-0") || !strings.Contains(r.stderr, "helper-moves") {
		t.Errorf("want large-0 and the risk named, got %v", r)
	}
	if diff := before.Diff(c.Describe()); len(diff) > 0 {
		t.Errorf("a refused run has changed:\n%s", strings.Join(diff, "\n"))
	}
	r = p.drain("run", runbook, "--yes", "--accept-risk", "helper-moves")
	r.want(t, 0)
	after := c.Describe()
	for topic, want := range map[string][]int32{"large": {2, 3}, "stays": {2, 3}, "goes": {3, 4}, "other": {3, 4}} {
		if got := slices.Sorted(slices.Values(after.Topics[topic].Partitions[0].Replicas)); !slices.Equal(got, want) {
			t.Errorf("%s-0 is on %v, want %v", topic, got, want)
		}
	}
	delete(before.Configs, "broker 1")
	delete(after.Configs, "broker 1") // the cordon stays until a restore
	sameSettingsAs(t, before, after)
}
