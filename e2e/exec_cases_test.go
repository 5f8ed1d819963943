package e2e_test

import (
	"strings"
	"testing"
)

// TestTheOnlyAddressIsTheDrainedBroker: all that is asked after the stop
// is asked of brokers that were learnt from it before.
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
	r := p.drain("run", p.runbook(text), "--yes")
	r.want(t, 0)
	if c.Running(1) || !strings.Contains(r.stderr, "watched for") {
		t.Errorf("broker 1 runs: %v; %v", c.Running(1), r)
	}
}
