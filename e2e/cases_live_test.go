package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/kafkatest"
)

// TestThrottlesForeignMovesAndNewTopics holds drains of a real broker to what was
// reported of other tools, one case after the other on one cluster. The broker is
// emptied each time and not stopped, but for the last, where it is down.
//
// What is on real brokers elsewhere: settings after drains that end badly at any
// point, with an operator's own among them (TestNoSettingLeaks); a lost journal
// (TestALostJournalIsSwept); a destination that dies (TestNoSettingLeaks), and
// another one instead (TestMovesGoElsewhereWhenTheirDestinationFails).
func TestThrottlesForeignMovesAndNewTopics(t *testing.T) {
	t.Parallel()
	c := startSmall(t)
	for _, live := range []struct {
		name string
		of   func(*testing.T, *kafkatest.Cluster)
	}{
		{"a move of somebody else is refused and left alone, and needs nothing once it has ended", foreignMove},
		{"topics that are created meanwhile are moved too", lateTopics},
		{"a topic that is deleted, and one that is made anew under its name, hold nobody up", goneTopics},
		{"throttles of an operator are back after an end and after an abort", operatorsThrottle},
		{"cluster-wide defaults are told, and are in force again", defaultThrottle},
		{"the settings of a move that goes on outlive those of one that is done", earlyCleanup},
		{"where nothing has to move no setting is touched", nothingToMove},
		{"nothing is sent to a broker that is down", drainedIsDown},
	} {
		ok := t.Run(live.name, func(t *testing.T) {
			live.of(t, c)
			deleteTopics(t, c, slices.DeleteFunc(namesOf(c.Describe()), func(name string) bool { return strings.HasPrefix(name, "__") }))
		})
		if !ok {
			return
		}
	}
}

// emptying is a runbook that empties broker 1 and does not stop it. It is not
// cordoned, so that topics may be created there.
func emptying(t *testing.T, c *kafkatest.Cluster) string {
	t.Helper()
	return slowStopRunbook(t, c) + "cordon: off\nsteps: [check, move, verify]\n"
}

// emptied fails the test unless broker 1 is empty, all is well and every setting
// is as before.
func emptied(t *testing.T, c *kafkatest.Cluster, before kafkatest.State) kafkatest.State {
	t.Helper()
	settled(t, c)
	after := c.Describe()
	if on := after.OnBroker(1); len(on) > 0 {
		t.Errorf("still on broker 1: %v", on)
	}
	sameSettingsAs(t, before, after)
	return after
}

func foreignMove(t *testing.T, c *kafkatest.Cluster) {
	c.CreateTopic("foreign", map[int32][]int32{0: {1, 2}}, map[string]string{"follower.replication.throttled.replicas": "0:4"})
	c.Fill("foreign", 4e6)
	slow := "1000"
	alterBroker(t, c, 4, kadm.AlterConfig{Name: "follower.replication.throttled.rate", Value: &slow})
	before := c.Describe()
	requestMove(t, c, "foreign", 4, 2)
	p := newPlace(t)
	runbook := p.runbook(emptying(t, c))
	if r := p.drain("run", runbook, "--yes"); r.exit != 3 || !strings.Contains(r.stderr, "foreign-0") {
		t.Errorf("a move of somebody else is in flight: want 3 and its name, got %v", r)
	}
	is := c.Describe()
	if got := is.Topics["foreign"].Partitions[0]; !slices.Equal(got.Adding, []int32{4}) || !slices.Equal(got.Removing, []int32{1}) {
		t.Errorf("the move of somebody else is %+v", got)
	}
	sameSettingsAs(t, before, is)
	alterBroker(t, c, 4, kadm.AlterConfig{Op: kadm.DeleteConfig, Name: "follower.replication.throttled.rate"})
	settled(t, c)
	before = c.Describe()
	p.drain("run", runbook, "--yes").want(t, 0)
	if got := emptied(t, c, before).Topics["foreign"].Partitions[0].Replicas; !slices.Equal(got, []int32{4, 2}) {
		t.Errorf("foreign-0 is on %v, want it where its own move took it", got)
	}
}

// requestMove asks for a reassignment of partition 0, as other tools do.
func requestMove(t *testing.T, c *kafkatest.Cluster, topic string, replicas ...int32) {
	t.Helper()
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.TimeoutMillis = 10_000
	move := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
	move.Replicas = replicas
	of := kmsg.NewAlterPartitionAssignmentsRequestTopic()
	of.Topic, of.Partitions = topic, append(of.Partitions, move)
	req.Topics = append(req.Topics, of)
	resp, err := req.RequestWith(t.Context(), c.Client())
	if err != nil || resp.ErrorCode != 0 || resp.Topics[0].Partitions[0].ErrorCode != 0 {
		t.Fatalf("move %s-0 to %v: %v, %+v", topic, replicas, err, resp)
	}
}

func lateTopics(t *testing.T, c *kafkatest.Cluster) {
	c.CreateTopic("early", map[int32][]int32{0: {1, 2}, 1: {2, 1}}, nil)
	c.Fill("early", 8e6)
	before := c.Describe()
	p := newPlace(t)
	r := copying(t, p, p.runbook(emptying(t, c)))
	c.CreateTopic("late", map[int32][]int32{0: {1}}, nil)
	c.CreateTopic("later", map[int32][]int32{0: {1, 2}}, nil)
	r.wait(2*time.Minute).want(t, 0)
	after := emptied(t, c, before)
	late, later := after.Topics["late"].Partitions[0].Replicas, after.Topics["later"].Partitions[0].Replicas
	if len(late) != 1 || len(later) != 2 || !slices.Contains(later, 2) {
		t.Errorf("late-0 is on %v and later-0 on %v, want one replica, and two of which one is on broker 2", late, later)
	}
}

func goneTopics(t *testing.T, c *kafkatest.Cluster) {
	for topic, replicas := range map[string][]int32{"stays": {1, 2}, "deleted": {1, 3}, "again": {1, 2, 3}} {
		c.CreateTopic(topic, map[int32][]int32{0: replicas}, nil)
		c.Fill(topic, 4e6)
	}
	before := c.Describe()
	p := newPlace(t)
	r := copying(t, p, p.runbook(emptying(t, c)))
	deleteTopics(t, c, []string{"deleted", "again"})
	c.CreateTopic("again", map[int32][]int32{0: {2, 3}}, nil)
	r.wait(2*time.Minute).want(t, 0)
	after := emptied(t, c, before)
	if got := after.Topics["again"].Partitions[0]; !slices.Equal(got.Replicas, []int32{2, 3}) {
		t.Errorf("the new again-0 is on %v, want it untouched", got.Replicas)
	}
	if got := after.Topics["stays"].Partitions[0]; len(got.Replicas) != 2 {
		t.Errorf("stays-0 is on %v", got.Replicas)
	}
	for _, name := range []string{"again-0", "deleted-0"} {
		if !r.saw(func(ev event) bool { return strings.Contains(ev.Text, name) && strings.Contains(ev.Text, "void") }) {
			t.Errorf("%s is not told to be void", name)
		}
	}
}

func operatorsThrottle(t *testing.T, c *kafkatest.Cluster) {
	all := "*"
	lists := map[string]string{"leader.replication.throttled.replicas": all, "follower.replication.throttled.replicas": all}
	rate := "5000000"
	for _, key := range []string{"leader.replication.throttled.rate", "follower.replication.throttled.rate"} {
		alterBroker(t, c, 1, kadm.AlterConfig{Name: key, Value: &rate})
		defer alterBroker(t, c, 1, kadm.AlterConfig{Op: kadm.DeleteConfig, Name: key})
	}
	c.CreateTopic("theirs", map[int32][]int32{0: {1, 2}, 1: {1, 3}, 2: {1, 4}}, lists)
	c.Fill("theirs", 8e6)
	before := c.Describe()
	p := newPlace(t)
	runbook := p.runbook(emptying(t, c))
	r := copying(t, p, runbook)
	r.signal(os.Interrupt)
	r.wait(killLimit).want(t, 130)
	p.drain("cancel", runbook, "--yes").want(t, 0)
	settled(t, c)
	sameSettingsAs(t, before, c.Describe())
	p.drain("run", runbook, "--yes").want(t, 0)
	emptied(t, c, before)
	if want := `"before":"5000000","layer":"dynamicBroker"`; !strings.Contains(p.journal(), want) {
		t.Errorf("the journal does not tell where the operator's rate stood: %s", want)
	}
}

// defaultThrottle: cluster-wide defaults under which a broker and a topic have no
// value of their own. The minimum is one too, since Kafka makes the static value
// such a default where ELR is on (KIP-966).
func defaultThrottle(t *testing.T, c *kafkatest.Cluster) {
	rate := "4000000"
	alterBroker(t, c, -1, kadm.AlterConfig{Name: "follower.replication.throttled.rate", Value: &rate})
	defer alterBroker(t, c, -1, kadm.AlterConfig{Op: kadm.DeleteConfig, Name: "follower.replication.throttled.rate"})
	c.CreateTopic("alone", map[int32][]int32{0: {1}}, nil)
	c.Fill("alone", 2e6)
	before := c.Describe()
	p := newPlace(t)
	p.drain("run", p.runbook(emptying(t, c)), "--yes").want(t, 0)
	emptied(t, c, before)
	for _, want := range []string{
		`"key":"follower.replication.throttled.rate","before":null,"layer":"dynamicDefault","inForce":"4000000"`,
		`"key":"min.insync.replicas","before":null,"layer":"dynamicDefault","inForce":"2"`,
	} {
		if !strings.Contains(p.journal(), want) {
			t.Errorf("the journal does not tell what was in force: %s", want)
		}
	}
}

func earlyCleanup(t *testing.T, c *kafkatest.Cluster) {
	c.CreateTopic("small", map[int32][]int32{0: {1, 2}}, nil)
	c.CreateTopic("large", map[int32][]int32{0: {1, 3}}, nil)
	c.Fill("small", 5e5)
	c.Fill("large", 12e6)
	before := c.Describe()
	p := newPlace(t)
	r := p.start("run", "--yes", "--output", "json", p.runbook(emptying(t, c)))
	eventually(t, killLimit, "the lists of small to be gone while large moves under its throttle", func() bool {
		is := c.Describe()
		large := is.Topics["large"].Partitions[0]
		throttled := len(is.Configs["topic large"]) > 0 && is.Configs["broker 3"]["leader.replication.throttled.rate"] != ""
		return !slices.Contains(is.Topics["small"].Partitions[0].Replicas, 1) && len(is.Configs["topic small"]) == 0 &&
			len(large.Adding) > 0 && throttled
	})
	r.wait(2*time.Minute).want(t, 0)
	emptied(t, c, before)
}

func nothingToMove(t *testing.T, c *kafkatest.Cluster) {
	c.CreateTopic("elsewhere", map[int32][]int32{0: {2, 3}}, nil)
	before := c.Describe()
	p := newPlace(t)
	p.drain("run", p.runbook(emptying(t, c)), "--yes").want(t, 0)
	if diff := before.Diff(c.Describe()); len(diff) > 0 {
		t.Errorf("a drain with nothing to move changed:\n%s", strings.Join(diff, "\n"))
	}
	if text := p.journal(); strings.Contains(text, `"kind":"owe"`) || strings.Contains(text, `"kind":"submit"`) {
		t.Errorf("the journal tells of changes:\n%s", text)
	}
}

func drainedIsDown(t *testing.T, c *kafkatest.Cluster) {
	c.CreateTopic("left", map[int32][]int32{0: {1, 2}, 1: {3, 1}}, nil)
	c.Fill("left", 4e6)
	before := c.Describe()
	c.Kill(1)
	awaitBrokers(t, c, []int32{2, 3, 4})
	p := newPlace(t)
	// With two replicas and one of them down every partition is under its minimum.
	r := p.drain("run", p.runbook(slowStopRunbook(t, c)), "--yes", "--output", "json", "--accept-risk", "under-min-isr", "--accept-risk", "broker-unread")
	r.want(t, 0)
	for _, ev := range eventsOf(r.stdout) {
		if strings.Contains(ev.Text, "set broker 1 ") {
			t.Errorf("it sets something on the broker that is down: %s", ev.Text)
		}
	}
	if runs := c.StopRuns(1); runs > 0 {
		t.Errorf("the stop command ran %d times for a broker that is down", runs)
	}
	after := c.Describe()
	for number, p := range after.Topics["left"].Partitions {
		if slices.Contains(p.Replicas, 1) || len(p.ISR) != 2 {
			t.Errorf("left-%d is %+v, want two replicas in sync elsewhere", number, p)
		}
	}
	delete(before.Configs, "broker 1")
	delete(after.Configs, "broker 1")
	sameSettingsAs(t, before, after)
}

// TestAWideTopicKeepsItsListsShort empties a broker of a topic so wide that all
// of its throttled replicas in one value would be more than a record takes
// (32,767 bytes). What is set covers the moves in flight alone.
func TestAWideTopicKeepsItsListsShort(t *testing.T) {
	if !long() {
		t.Skip("it takes three minutes: DRAIN_LONG=1")
	}
	c := startSmall(t)
	const partitions, longest = 1800, 32767
	lists, whole := map[int32][]int32{}, 0
	for p := range int32(partitions) {
		lists[p] = []int32{1 + p%3, 1 + (p+1)%3, 1 + (p+2)%3}
		whole += len(fmt.Sprintf("%d:1,%d:2,%d:3,", p, p, p))
	}
	if whole <= longest {
		t.Fatalf("all replicas are %d bytes, too few to tell anything", whole)
	}
	c.CreateTopic("wide", lists, nil)
	before := c.Describe()
	p := newPlace(t)
	r := p.start("run", "--yes", "--output", "json", p.runbook(emptying(t, c)))
	most := 0
	eventually(t, 3*time.Minute, "the end of the moves", func() bool {
		for _, value := range c.Describe().Configs["topic wide"] {
			most = max(most, len(value))
		}
		return r.saw(func(ev event) bool { return ev.Step == "verify" })
	})
	r.wait(time.Minute).want(t, 0)
	emptied(t, c, before)
	if most == 0 || most > longest/2 {
		t.Errorf("the longest list was %d bytes, want some, and far from %d", most, longest)
	}
	t.Logf("all at once were %d bytes, the longest list was %d", whole, most)
}
