package e2e_test

import (
	"context"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"drain/internal/kafkatest"
)

// A drain goes wrong in one of these ways.
var mishapsOf = []struct {
	name string
	do   func(*testing.T, *kafkatest.Cluster, *running, *rand.Rand)
}{
	{"SIGKILL", func(t *testing.T, _ *kafkatest.Cluster, r *running, _ *rand.Rand) { r.signal(os.Kill) }},
	{"SIGINT", func(t *testing.T, _ *kafkatest.Cluster, r *running, _ *rand.Rand) { r.signal(os.Interrupt) }},
	{"deadline", func(*testing.T, *kafkatest.Cluster, *running, *rand.Rand) {}}, // a flag of the run
	{"dead destination", killDestination},
	{"topic deleted", func(t *testing.T, c *kafkatest.Cluster, r *running, random *rand.Rand) {
		topics := slices.DeleteFunc(namesOf(c.Describe()), func(name string) bool { return strings.HasPrefix(name, "__") })
		deleteTopics(t, c, topics[random.IntN(len(topics)):][:1])
	}},
}

// killDestination ends a broker that receives, with SIGKILL.
func killDestination(t *testing.T, c *kafkatest.Cluster, _ *running, random *rand.Rand) {
	var to []int32
	c.Describe().Where(func(p kafkatest.Partition) bool { to = append(to, p.Adding...); return false })
	if len(to) == 0 {
		to = []int32{4} // all has arrived by now
	}
	c.Kill(to[random.IntN(len(to))])
}

func namesOf(s kafkatest.State) []string {
	var names []string
	for name := range s.Topics {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestNoSettingLeaks ends drains of a real broker badly at moments drawn by lot,
// brings dead brokers back and follows what the tool says: then not one setting
// differs from before, the operator's own throttles among them.
func TestNoSettingLeaks(t *testing.T) {
	t.Parallel()
	c := startSmall(t)
	eachSeed(t, func(t *testing.T, seed int, random *rand.Rand) {
		giveReplicas(c, seed)
		operatorSettings(t, c, seed, random)
		before := c.Describe()
		p := newPlace(t)
		runbook := p.runbook(slowStopRunbook(t, c) + "stallAfter: 8s\n")
		badly(t, c, p, runbook, seed, random)
		revive(t, c)
		remedy(t, c, p, runbook, random)
		after := c.Describe()
		sameSettingsAs(t, before, after)
		if flying := after.Where(func(p kafkatest.Partition) bool { return len(p.Adding)+len(p.Removing) > 0 }); len(flying) > 0 {
			t.Errorf("in flight at the end: %v", flying)
		}
		deleteTopics(t, c, slices.DeleteFunc(namesOf(after), func(name string) bool { return strings.HasPrefix(name, "__") }))
		forgetSettings(t, c)
	})
}

// operatorSettings are throttles of somebody else that must stay as they are.
func operatorSettings(t *testing.T, c *kafkatest.Cluster, seed int, random *rand.Rand) {
	t.Helper()
	rate, list := "9000000", "0:2,0:3"
	if random.IntN(2) == 0 {
		alterBroker(t, c, int32(1+random.IntN(4)), kadm.AlterConfig{Name: "leader.replication.throttled.rate", Value: &rate})
	}
	if random.IntN(2) == 0 {
		list = "*"
	}
	topic := namesOf(c.Describe())[random.IntN(2)]
	answers, err := kadm.NewClient(c.Client()).AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "follower.replication.throttled.replicas", Value: &list}}, topic)
	if err != nil || answers[0].Err != nil {
		t.Fatal(err, answers)
	}
	eventually(t, 10*time.Second, "the list to show, which is then what was before", func() bool {
		return c.Describe().Configs["topic "+topic]["follower.replication.throttled.replicas"] == list
	})
	t.Logf("seed %d: %s of somebody else on %s", seed, list, topic)
}

// forgetSettings takes the operator's rates off the brokers again.
func forgetSettings(t *testing.T, c *kafkatest.Cluster) {
	t.Helper()
	awaitBrokers(t, c, c.Brokers()) // one that was fenced for a moment could not be asked
	for _, id := range c.Brokers() {
		alterBroker(t, c, id, kadm.AlterConfig{Op: kadm.DeleteConfig, Name: "leader.replication.throttled.rate"})
	}
}

// badly runs a drain, lets the mishap of the seed happen, and waits for the end.
func badly(t *testing.T, c *kafkatest.Cluster, p *place, runbook string, seed int, random *rand.Rand) {
	t.Helper()
	mishap := mishapsOf[seed%len(mishapsOf)]
	at := moment{recordKinds[4+random.IntN(4)], time.Duration(random.IntN(3000)) * time.Millisecond}
	args := []string{"run", runbook, "--yes"}
	if mishap.name == "deadline" {
		args = append(args, "--accept-risk", "throttle-too-long", "--deadline", (5*time.Second + at.later).String())
	}
	r := p.start(args...)
	if at.await(t, r) {
		mishap.do(t, c, r, random)
	}
	res := r.wait(2 * time.Minute)
	t.Logf("%s %v: exit %d after %v", mishap.name, at, res.exit, res.took.Round(time.Millisecond))
	if res.exit > 0 && !hint.MatchString(res.stderr) {
		t.Errorf("no way on is told: %v", res)
	}
}

// hint is a command that the tool names.
var hint = regexp.MustCompile("`?drain (run|cancel|cleanup|restore)")

// revive starts the brokers that are dead, but for one that was drained and
// stopped: that is a restore's.
func revive(t *testing.T, c *kafkatest.Cluster) {
	t.Helper()
	for _, id := range c.Brokers() {
		if id != 1 && !c.Alive(id) {
			c.Restart(id)
		}
	}
	up := slices.DeleteFunc(c.Brokers(), func(id int32) bool { return !c.Alive(id) })
	awaitBrokers(t, c, up)
}

// remedy follows what the tool itself names: resume, cancel or cleanup. A broker
// that was stopped by the drain is started and restored.
func remedy(t *testing.T, c *kafkatest.Cluster, p *place, runbook string, random *rand.Rand) {
	t.Helper()
	ways := [][]string{{"run"}, {"cancel"}, {"cleanup"}, {"cleanup", "--cancel"}}
	way := ways[random.IntN(len(ways))]
	r := p.drain(append(slices.Clone(way), runbook, "--yes")...)
	t.Logf("%v: exit %d after %v", way, r.exit, r.took.Round(time.Millisecond))
	r.want(t, 0)
	if c.Alive(1) && c.WaitExit(1, time.Second) != nil {
		return
	}
	c.Restart(1)
	awaitBrokers(t, c, c.Brokers())
	p.drain("restore", runbook, "--yes").want(t, 0)
}

// awaitBrokers waits until the cluster lists exactly these, a minute at most.
func awaitBrokers(t *testing.T, c *kafkatest.Cluster, ids []int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.WaitBrokers(ctx, ids...); err != nil {
		t.Fatal(err)
	}
}
