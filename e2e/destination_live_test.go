package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/internal/kafkatest"
)

// TestMovesGoElsewhereWhenTheirDestinationFails drains a real broker twice: first a
// log dir fails to which a move copies, then, under the cordon, the broker to which
// one does is killed. The moves go elsewhere. What is owed on the dead broker is a 5
// that names it, until it is back.
func TestMovesGoElsewhereWhenTheirDestinationFails(t *testing.T) {
	t.Parallel()
	kafkatest.Need(t)
	brokers := kafkatest.Brokers(5)
	brokers[3].LogDirs, brokers[4].LogDirs = 2, 2
	c := kafkatest.Start(t, kafkatest.Spec{Brokers: brokers})
	c.CreateTopic("seat", map[int32][]int32{0: {4}, 1: {5}}, nil) // in the first dirs, with the metadata
	c.CreateTopic("t", map[int32][]int32{0: {1, 2}}, nil)
	c.Fill("t", 30e6)
	before := c.Describe()
	p := newPlace(t)

	runbook := p.runbook(runbookFor(c, "1MB/s") + "destinations: [4, 5]\ncordon: off\nsteps: [check, move, verify]\n")
	r := copying(t, p, runbook)
	mend := failDir(t, c, "t-0")
	r.awaitReplanned(t, p, runbook)
	r.wait(2*time.Minute).want(t, 0)
	emptied(t, c, before)
	mend() // for its next start

	deleteTopics(t, c, []string{"seat"}) // without its leader nothing new would start
	c.CreateTopic("u", map[int32][]int32{0: {1, 2, 3}}, nil)
	c.Fill("u", 30e6)
	before = c.Describe()
	runbook = p.runbook(runbookFor(c, "1MB/s") + "destinations: [4, 5]\n")
	r = copying(t, p, runbook)
	dead := c.Describe().Topics["u"].Partitions[0].Adding[0]
	c.Kill(dead)
	r.awaitReplanned(t, p, runbook)
	res := r.wait(2 * time.Minute)
	res.want(t, 5)
	if got := c.Describe().Topics["u"].Partitions[0].Replicas; slices.Contains(got, 1) || slices.Contains(got, dead) {
		t.Errorf("u-0 is on %v", got)
	}
	if !strings.Contains(res.stdout, "is not live") {
		t.Errorf("want what is owed named, got %v", res)
	}
	c.Restart(dead)
	awaitBrokers(t, c, c.Brokers())
	p.drain("run", runbook, "--yes").want(t, 0)
	if err := c.WaitExit(1, 30*time.Second); err != nil {
		t.Error(err)
	}
	after := c.Describe()
	if on := after.OnBroker(1); len(on) > 0 {
		t.Errorf("still on broker 1: %v", on)
	}
	delete(before.Configs, "broker 1")
	delete(after.Configs, "broker 1") // the cordon stays until a restore
	sameSettingsAs(t, before, after)
}

// awaitReplanned waits until the run says that a move goes elsewhere, and lets it
// go on faster.
func (r *running) awaitReplanned(t *testing.T, p *place, runbook string) {
	t.Helper()
	eventually(t, 90*time.Second, "the move to go elsewhere", func() bool {
		return r.saw(func(ev event) bool { return strings.Contains(ev.Text, "replanned, since their destination failed") })
	})
	p.drain("throttle", runbook, "20MB/s").want(t, 0)
}

// failDir takes the log dir away that a replica is copied to, and returns what puts
// it back. Kafka notices when it next writes its checkpoints.
func failDir(t *testing.T, c *kafkatest.Cluster, log string) (mend func()) {
	t.Helper()
	rename := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []int32{4, 5} {
		dir := c.Dirs(id)[1]
		if _, err := os.Stat(filepath.Join(dir, log)); err == nil {
			rename(dir, dir+"-gone")
			return func() { rename(dir+"-gone", dir) }
		}
	}
	t.Fatalf("%s is in no second log dir", log)
	return nil
}
