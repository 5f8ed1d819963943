package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drain/internal/kafkatest"
)

// phases are where a drain is killed: the first event of the run's output for
// which it is true.
var phases = []struct {
	name string
	at   func(ev event) bool
}{
	{"throttle set", func(ev event) bool {
		return ev.Step == "move" && ev.Event == "change" && strings.HasPrefix(ev.Text, "set ")
	}},
	{"copying", func(ev event) bool {
		return ev.Event == "progress" && ev.Progress.InFlight > 0 && ev.Progress.Bytes > 0
	}},
	{"throttle removal", func(ev event) bool {
		return ev.Step == "move" && ev.Event == "change" && strings.HasPrefix(ev.Text, "gave back ")
	}},
	{"verify", func(ev event) bool { return ev.Step == "verify" && ev.Event == "step" }},
	{"between stop begun and stop ended", func(ev event) bool { return ev.Step == "stop" && ev.Event == "command" }},
}

// event is what a test looks at in a line of JSON events.
type event struct {
	Time, Until       time.Time
	Event, Step, Text string
	Progress          struct {
		InFlight int
		Bytes    int64
	}
}

// killLimit is how long it may take until a phase is reached, or a run ends.
const killLimit = time.Minute

// TestKilledInEachPhase kills a drain of a real broker with SIGKILL once in each
// phase and runs it again: it ends with 0, the broker is stopped once, and
// nothing is left behind. One cluster serves all phases; between them broker 1
// comes back and gets new replicas.
func TestKilledInEachPhase(t *testing.T) {
	t.Parallel()
	c := startSmall(t)
	for i, phase := range phases {
		ok := t.Run(phase.name, func(t *testing.T) {
			topics := giveReplicas(c, i)
			p := newPlace(t)
			before := c.Describe()
			stops := c.StopRuns(1)
			args := []string{"run", p.runbook(slowStopRunbook(t, c)), "--yes", "--output", "json"}
			killAt(t, p.start(args...), phase.at)
			r := p.drain(args...)
			r.want(t, 0)
			judgeDrained(t, c, before)
			if runs := c.StopRuns(1) - stops; runs != 1 {
				t.Errorf("the stop command ran %d times, want once\n%v", runs, r)
			}
			bringBack(t, c, topics)
		})
		if !ok {
			return // the next phase would start from a broken cluster
		}
	}
}

// TestKilledThenOnlyCleanedUp kills a drain while it copies and gives everything
// back with cleanup alone.
func TestKilledThenOnlyCleanedUp(t *testing.T) {
	t.Parallel()
	c := startSmall(t)
	giveReplicas(c, 0)
	p := newPlace(t)
	before := c.Describe()
	runbook := p.runbook(slowStopRunbook(t, c))
	killAt(t, p.start("run", runbook, "--yes", "--output", "json"), phases[1].at)
	if status := p.drain("status", runbook); status.exit != 5 {
		t.Errorf("status with settings owed: %v", status)
	}
	p.drain("cleanup", runbook, "--yes").want(t, 0)
	after := c.Describe()
	if len(after.Where(func(q kafkatest.Partition) bool { return len(q.Adding)+len(q.Removing) > 0 })) > 0 {
		t.Error("cleanup ended with moves in flight")
	}
	for owner, settings := range after.Configs {
		if !sameSettings(settings, before.Configs[owner]) {
			t.Errorf("settings of %s: %v, were %v", owner, settings, before.Configs[owner])
		}
	}
	p.drain("status", runbook).want(t, 0)
	p.drain("run", runbook, "--yes").want(t, 0)
	judgeDrained(t, c, before)
}

func startSmall(t *testing.T) *kafkatest.Cluster {
	t.Helper()
	kafkatest.Need(t)
	return kafkatest.Start(t, kafkatest.Spec{
		Brokers: kafkatest.Brokers(4),
		Config: map[string]string{
			"min.insync.replicas":              "2",
			"replica.fetch.response.max.bytes": "1000000",
		},
	})
}

// giveReplicas makes topics with replicas on broker 1, about 5 MB, which take
// some seconds under the throttle of these tests.
func giveReplicas(c *kafkatest.Cluster, round int) []string {
	single, triple := fmt.Sprintf("single-%d", round), fmt.Sprintf("triple-%d", round)
	c.CreateTopic(single, map[int32][]int32{0: {1}, 1: {1}, 2: {1}, 3: {2}}, nil)
	c.CreateTopic(triple, map[int32][]int32{0: {1, 2, 3}, 1: {2, 3, 1}}, map[string]string{"retention.ms": "86400000"})
	c.Fill(single, 4e6)
	c.Fill(triple, 1e6)
	return []string{single, triple}
}

// slowStopRunbook drains broker 1 with a stop command that takes two seconds, so
// that a kill falls between its begin and its end.
func slowStopRunbook(t *testing.T, c *kafkatest.Cluster) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "stop")
	text := fmt.Sprintf("#!/bin/sh\nsleep 2\nexec '%s' \"$1\"\n", c.StopCommand(1)[0])
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	stop, _ := json.Marshal([]string{script, "{broker}"})
	return fmt.Sprintf(`version: 1
broker: 1
cluster:
  bootstrap: ["%s", "%s"]
throttle: 1MB/s
confirm: 2s
poll: 500ms
stop:
  command: %s
  timeout: 15s
`, c.BootstrapOf(2), c.BootstrapOf(3), stop)
}

// killAt kills drain with SIGKILL as soon as an event shows that it is there.
func killAt(t *testing.T, r *running, there func(event) bool) {
	t.Helper()
	seen := 0
	eventually(t, killLimit, "the phase to kill in", func() bool {
		out := r.out.String()
		lines := strings.Split(out, "\n")
		for ; seen < len(lines)-1; seen++ {
			var ev event
			if json.Unmarshal([]byte(lines[seen]), &ev) == nil && there(ev) {
				return true
			}
			if ev.Event == "end" {
				t.Fatalf("the run ended before the phase was seen\n%s", timeline(out))
			}
		}
		return false
	})
	r.signal(syscall.SIGKILL)
	if res := r.wait(10 * time.Second); res.exit != -1 {
		t.Fatalf("killed, and exit %d", res.exit)
	}
}

// bringBack starts broker 1 again, takes the cordon off that a run leaves, and
// deletes the topics of the round.
func bringBack(t *testing.T, c *kafkatest.Cluster, topics []string) {
	t.Helper()
	c.Restart(1)
	if err := c.WaitBrokers(t.Context(), 1, 2, 3, 4); err != nil {
		t.Fatal(err)
	}
	uncordon(t, c, 1)
	deleteTopics(t, c, topics)
	if err := c.WaitInSync(t.Context()); err != nil {
		t.Fatal(err)
	}
}
