package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"drain/internal/kafkatest"
)

// TestStopsThatDoNotStop has bad stop commands, none of which ends the broker they
// are for, and then drains two brokers at the same time. All on one cluster: what
// goes wrong must leave it as it was.
func TestStopsThatDoNotStop(t *testing.T) {
	t.Parallel()
	c := startSmall(t)
	t.Run("it forks, floods, ignores TERM and hangs", func(t *testing.T) { stubbornStop(t, c) })
	t.Run("it exits with 0 and stops nobody", func(t *testing.T) { idleStop(t, c) })
	t.Run("two drains at once share nothing", func(t *testing.T) { twoDrains(t, c) })
}

// badStop runs a drain of broker 1, which holds nothing, with a stop command of
// that text. It must fail with 7, and leave the broker up and without a setting.
func badStop(t *testing.T, c *kafkatest.Cluster, p *place, script string) result {
	t.Helper()
	before := c.Describe()
	path := filepath.Join(p.dir, "stop")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	r := p.drain("run", p.runbook(stopRunbook(c, 1, path, "3s")), "--yes")
	r.want(t, 7)
	after := c.Describe()
	if !slices.Contains(after.Brokers, 1) {
		t.Errorf("broker 1 has left: %v", r)
	}
	sameSettingsAs(t, before, after)
	return r
}

// stopRunbook drains one broker with a program that is given its id.
func stopRunbook(c *kafkatest.Cluster, broker int32, program, timeout string) string {
	stop, _ := json.Marshal([]string{program, "{broker}"})
	return fmt.Sprintf(`version: 1
broker: %d
cluster:
  bootstrap: ["%s", "%s"]
throttle: 1MB/s
confirm: 2s
poll: 200ms
stop: {command: %s, timeout: %s}
`, broker, c.BootstrapOf(3), c.BootstrapOf(4), stop, timeout)
}

func stubbornStop(t *testing.T, c *kafkatest.Cluster) {
	p := newPlace(t)
	r := badStop(t, c, p, `trap '' TERM
(while :; do echo "still at it"; done) & echo $! >"$(dirname "$0")/child"
wait
`)
	if !strings.Contains(r.stderr, "its time was over") || strings.Count(r.stderr, "still at it") > 300 {
		t.Errorf("want its time told and a part of its output, got %d lines: %.2000s", strings.Count(r.stderr, "\n"), r.stderr)
	}
	text, err := os.ReadFile(filepath.Join(p.dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, "the child of the stop command to be gone", func() bool { return syscall.Kill(child, 0) != nil })
	outputs, err := filepath.Glob(filepath.Join(p.dir, "state", "*-stop.out"))
	if err != nil || len(outputs) != 1 {
		t.Fatalf("outputs %v, %v", outputs, err)
	}
	if info, err := os.Stat(outputs[0]); err != nil || info.Size() > 64<<20 {
		t.Errorf("the output file has %d bytes, %v", info.Size(), err)
	}
}

func idleStop(t *testing.T, c *kafkatest.Cluster) {
	r := badStop(t, c, newPlace(t), "exit 0\n")
	if !strings.Contains(r.stderr, "exited with code 0, but broker 1 is still alive") {
		t.Errorf("got %v", r)
	}
}

// twoDrains drains broker 2 while broker 1 is being drained: neither sends the
// other anything, both are told of each other, and both end well.
func twoDrains(t *testing.T, c *kafkatest.Cluster) {
	c.CreateTopic("both", map[int32][]int32{0: {1}, 1: {1}, 2: {2}, 3: {2}}, nil)
	c.Fill("both", 8e6)
	program := c.StopCommand(1)[0]
	one, two := newPlace(t), newPlace(t)
	two.env = []string{"DRAIN_LOCK_DIR=" + filepath.Join(one.dir, "locks")} // of one host
	first := copying(t, one, one.runbook(stopRunbook(c, 1, program, "15s")))
	r := two.drain("run", two.runbook(stopRunbook(c, 2, program, "15s")), "--yes")
	r.want(t, 0)
	if !strings.Contains(r.stderr, "broker 1 is being drained by another run on this host") {
		t.Errorf("the other drain is not told: %v", r)
	}
	first.wait(killLimit).want(t, 0)
	state, err := c.WaitState(t.Context(), "healthy", healthy)
	if err != nil {
		t.Error(err)
	}
	if on := append(state.OnBroker(1), state.OnBroker(2)...); len(on) > 0 || c.StopRuns(1) != 1 || c.StopRuns(2) != 1 {
		t.Errorf("left on them: %v; stops %d and %d", on, c.StopRuns(1), c.StopRuns(2))
	}
	for _, p := range []struct {
		of    *place
		other string
	}{{one, `"to":[2]`}, {two, `"to":[1]`}} {
		if strings.Contains(p.of.journal(), p.other) {
			t.Errorf("a move goes to a broker that is being drained: %s", p.other)
		}
	}
}
