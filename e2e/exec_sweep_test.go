package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"drain/internal/kafkatest"
)

// TestALostJournalIsSwept kills a drain of a real broker while it copies and
// loses its journal: cleanup --no-journal lists what fits, asks, and clears it.
func TestALostJournalIsSwept(t *testing.T) {
	t.Parallel()
	c := startSmall(t)
	giveReplicas(c, 0)
	before := c.Describe()
	p := newPlace(t)
	runbook := p.runbook(slowStopRunbook(t, c))
	killAt(t, p.start("run", runbook, "--yes", "--output", "json"), phases[1].at)
	p.loseJournal(t)
	args := []string{"cleanup", "--no-journal", "--bootstrap", c.BootstrapOf(2), "--broker", "1"}
	swept(t, p, args)
	settled(t, c)
	overridden(t, c, "single-0")
	sameSettingsAs(t, before, c.Describe())
	p.drain(append(args, "--yes")...).want(t, 0)
	p.drain("run", runbook, "--yes").want(t, 0)
	judgeDrained(t, c, before)
}

// loseJournal deletes the state folder.
func (p *place) loseJournal(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(p.dir, "state")); err != nil {
		t.Fatal(err)
	}
}

// swept asks for the sweep without consent, which is refused with all that would
// be done told, and then with it.
func swept(t *testing.T, p *place, args []string) {
	t.Helper()
	asked := p.drain(args...)
	asked.want(t, 4)
	for _, says := range []string{"to be cancelled", "leader.replication.throttled.rate holds", "cordoned.log.dirs holds *", "min.insync.replicas", "--yes"} {
		if !strings.Contains(asked.stderr, says) {
			t.Errorf("want %q said, got %v", says, asked)
		}
	}
	r := p.drain(append(args, "--yes")...)
	r.want(t, 0)
	if !strings.Contains(r.stdout, "Cancelled and cleared") {
		t.Errorf("swept, and says %v", r)
	}
}

// overridden deletes the min.insync.replicas that a sweep leaves alone.
func overridden(t *testing.T, c *kafkatest.Cluster, topic string) {
	t.Helper()
	if is := c.Describe().Configs["topic "+topic]["min.insync.replicas"]; is != "1" {
		t.Errorf("min.insync.replicas of %s is %q: a sweep does not know what it was", topic, is)
	}
	change := kadm.AlterConfig{Op: kadm.DeleteConfig, Name: "min.insync.replicas"}
	answers, err := kadm.NewClient(c.Client()).AlterTopicConfigs(t.Context(), []kadm.AlterConfig{change}, topic)
	if err != nil || answers[0].Err != nil {
		t.Fatal(err, answers)
	}
}

// TestALostJournalIsSweptOnASimulatedCluster is the same where no Kafka is
// needed.
func TestALostJournalIsSweptOnASimulatedCluster(t *testing.T) {
	t.Parallel()
	p, c := newPlace(t), startLogCluster(t)
	p.env = []string{"DRAIN_SIMULATED=" + c.ControlAddr()}
	killAt(t, p.start("run", p.runbook(twinRunbook(c)), "--yes", "--output", "json"), phases[1].at)
	p.loseJournal(t)
	sent := len(c.Requests())
	args := []string{"cleanup", "--no-journal", "--bootstrap", strings.Join(c.Bootstrap(), ","), "--broker", "1"}
	if r := p.drain(args...); r.exit != 4 || len(c.Requests()) > sent {
		t.Errorf("nobody agreed, and it sent %d requests: %v", len(c.Requests())-sent, r)
	}
	swept(t, p, args)
	for _, b := range c.State().Brokers {
		if len(b.Configs) > 0 {
			t.Errorf("broker %d has %v", b.ID, b.Configs)
		}
	}
}
