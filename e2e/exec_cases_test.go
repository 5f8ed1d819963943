package e2e_test

import (
	"strings"
	"testing"
)

// TestTheOnlyAddressIsTheDrainedBroker: all that is asked after the stop
// is asked of brokers that were learnt from it before, by this process or by the
// one that wrote the journal.
func TestTheOnlyAddressIsTheDrainedBroker(t *testing.T) {
	t.Parallel()
	p, c := newPlace(t), startLogCluster(t)
	p.env = []string{"DRAIN_SIMULATED=" + c.ControlAddr()}
	all := c.Bootstrap()
	text := strings.Replace(twinRunbook(c), "5MB/s", "100MB/s", 1)
	for _, other := range all[1:] {
		text = strings.Replace(text, `,"`+other+`"`, "", 1)
	}
	if n := strings.Count(text, "127.0.0.1:"); n != 1 {
		t.Fatalf("%d addresses in\n%s", n, text)
	}
	runbook := p.runbook(text)
	r := p.drain("run", runbook, "--yes")
	r.want(t, 0)
	if c.Running(1) || !strings.Contains(r.stderr, "watched for") {
		t.Errorf("broker 1 runs: %v; %v", c.Running(1), r)
	}
	for _, again := range []struct {
		verb string
		exit int
		says string
	}{
		{"run", 0, "already stopped: broker 1"},
		{"status", 0, "ended, done"},
		{"cleanup", 0, "nothing is owed"},
		{"restore", 3, "broker 1 is not alive"},
	} {
		r := p.drain(again.verb, runbook)
		if r.exit != again.exit || !strings.Contains(r.stdout+r.stderr, again.says) || !strings.Contains(r.stderr, "known from the journal") {
			t.Errorf("%s: want exit %d and %q, got %v", again.verb, again.exit, again.says, r)
		}
	}
}
