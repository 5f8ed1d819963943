package e2e_test

import (
	"strings"
	"syscall"
	"testing"

	"drain/internal/simkafka"
)

// TestAnOpenJournalOfAnotherClusterIsRefused: the same runbook, a run that was
// interrupted, and then a cluster with another id behind the same addresses.
func TestAnOpenJournalOfAnotherClusterIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	first, second := startLogCluster(t), startLogCluster(t)
	p.env = []string{"DRAIN_SIMULATED=" + first.ControlAddr()}
	killAt(t, p.start("run", p.runbook(twinRunbook(first)), "--yes", "--output", "json"), phases[1].at)

	p.env = []string{"DRAIN_SIMULATED=" + second.ControlAddr()}
	r := p.drain("run", p.runbook(twinRunbook(second)), "--yes")
	r.want(t, 6)
	if !strings.Contains(r.stderr, "cluster") {
		t.Errorf("the other cluster is not named: %v", r)
	}
}

// TestCtrlCCanBeResumed interrupts a run on a cluster that outlives it.
func TestCtrlCCanBeResumed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := startLogCluster(t)
	p.env = []string{"DRAIN_SIMULATED=" + c.ControlAddr()}
	runbook := p.runbook(twinRunbook(c))
	run := p.start("run", runbook, "--yes")
	eventually(t, killLimit, "the copy to begin", func() bool { return strings.Contains(run.err.String(), "in flight") })
	run.signal(syscall.SIGINT)
	r := run.wait(killLimit)
	r.want(t, 130)
	if !strings.Contains(r.stderr, "drain run") {
		t.Errorf("the resume command is not printed: %v", r)
	}
	p.drain("run", runbook, "--yes").want(t, 0)
}

// TestNobodyToAskIsRefused: no terminal and no --yes on a cluster that is not
// the embedded one.
func TestNobodyToAskIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := startLogCluster(t)
	r := p.drain("run", p.runbook(twinRunbook(c)))
	if r.exit == 0 || !strings.Contains(r.stderr, "--yes") {
		t.Errorf("want a refusal that names --yes, got %v", r)
	}
	if calls := c.Requests(); len(calls) > 0 {
		t.Errorf("it sent %v", calls)
	}
}

func startLogCluster(t *testing.T) *simkafka.Cluster {
	t.Helper()
	spec, err := simkafka.Named("log-cluster")
	if err != nil {
		t.Fatal(err)
	}
	c, err := simkafka.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
