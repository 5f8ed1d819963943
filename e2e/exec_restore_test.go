package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/kafkatest"
)

// TestARestorePutsEverythingBack drains and stops a real broker, starts it again
// and restores: replicas, their order, leaders and settings are as before.
func TestARestorePutsEverythingBack(t *testing.T) {
	t.Parallel()
	c := startSmall(t)
	giveReplicas(c, 0)
	before := c.Describe()
	p := newPlace(t)
	runbook := p.runbook(slowStopRunbook(t, c))
	p.drain("run", runbook, "--yes").want(t, 0)
	if r := p.drain("restore", runbook, "--yes"); r.exit != 3 || !strings.Contains(r.stderr, "broker 1 is not alive") {
		t.Errorf("a restore of a broker that is down: %v", r)
	}
	c.Restart(1)
	awaitBrokers(t, c, c.Brokers())
	if is := c.Describe().Configs["broker 1"]["cordoned.log.dirs"]; is != "*" {
		t.Errorf("the cordon of broker 1 is %q before its restore", is)
	}
	p.drain("restore", runbook, "--yes").want(t, 0)
	settled(t, c)
	if diff := before.Diff(c.Describe()); len(diff) > 0 {
		t.Errorf("not as before:\n%s", strings.Join(diff, "\n"))
	}
	if r := p.drain("restore", runbook, "--yes"); r.exit != 0 || !strings.Contains(r.stderr, "nothing to restore") {
		t.Errorf("a second restore: %v", r)
	}
}

// TestAnUnregisteredBrokerLeavesNoCordon drains a real broker for good, with a
// command of the runbook's own before the stop, and its address alone to begin
// with. The id comes back clean.
func TestAnUnregisteredBrokerLeavesNoCordon(t *testing.T) {
	t.Parallel()
	c := startSmall(t)
	giveReplicas(c, 0)
	before := c.Describe()
	p := newPlace(t)
	notes := filepath.Join(t.TempDir(), "notes")
	script := filepath.Join(t.TempDir(), "note")
	if err := os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\necho \"$1 $DRAIN_BROKER\" >>'%s'\n", notes), 0o700); err != nil {
		t.Fatal(err)
	}
	steps := fmt.Sprintf("steps: [check, cordon, move, verify, {run: {name: note, command: [%q, \"{broker}\"], timeout: 10s}}, stop, confirm, unregister]\n", script)
	r := p.drain("run", p.runbook(slowStopRunbook(t, c)+steps), "--yes", "--bootstrap", c.BootstrapOf(1))
	r.want(t, 0)
	judgeDrained(t, c, before)
	if text, err := os.ReadFile(notes); string(text) != "1 1\n" {
		t.Errorf("the command noted %q, %v", text, err)
	}
	if ids := registered(t, c); ids[1] {
		t.Errorf("broker 1 is still registered: %v", ids)
	}
	c.Restart(1)
	awaitBrokers(t, c, c.Brokers())
	if is := c.Describe().Configs["broker 1"]; len(is) > 0 {
		t.Errorf("the new broker 1 comes up with %v", is)
	}
}

// registered are the brokers that the controller knows, fenced ones too.
func registered(t *testing.T, c *kafkatest.Cluster) map[int32]bool {
	t.Helper()
	req := kmsg.NewPtrDescribeClusterRequest()
	req.IncludeFencedBrokers = true
	resp, err := req.RequestWith(t.Context(), c.Client())
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
	ids := map[int32]bool{}
	for _, b := range resp.Brokers {
		ids[b.NodeID] = true
	}
	return ids
}
