package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestASavedPlanIsCarriedOut plans, and runs the plan in another process.
func TestASavedPlanIsCarriedOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	runbook := p.runbook(simulated())
	made := p.drain("plan", runbook, "--output", "json")
	made.want(t, 0)
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(p.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("plan.json", made.stdout)
	for _, tc := range []struct {
		name string
		args []string
		exit int
		says string
	}{
		{"it matches", []string{"--plan", file}, 0, "20 of 20 moved"},
		{"a dry run of it", []string{"--plan", file, "--dry-run"}, 0, ""},
		{"its destination may not receive", []string{"--plan", file, "--exclude", "4"}, 3, "was to go to broker 4, which may not receive by the runbook [plan-mismatch]"},
		{"what differs is accepted", []string{"--plan", file, "--exclude", "4", "--accept-risk", "plan-mismatch"}, 0, "20 of 20 moved"},
		{"a plan of another mode", []string{"--plan", file, "--mode", "at-risk"}, 3, "the plan is of mode evacuate, and the runbook says at-risk"},
		{"no such file", []string{"--plan", "no-such.json"}, 4, "no-such.json"},
		{"no plan", []string{"--plan", write("other.json", `{"version": 1, "partitions": []}`)}, 4, "give what drain plan --output json wrote"},
		{"no JSON", []string{"--plan", runbook}, 4, "invalid character"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := p.drain(append([]string{"run", runbook}, tc.args...)...)
			r.want(t, tc.exit)
			if !strings.Contains(r.stderr, tc.says) {
				t.Errorf("want %q said, got %v", tc.says, r)
			}
		})
	}
}

// TestAtRiskSaysWhatItTrades runs mode at-risk on the embedded cluster.
func TestAtRiskSaysWhatItTrades(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := p.drain("run", p.runbook(simulated()+"mode: at-risk\n"))
	r.want(t, 0)
	for _, says := range []string{"in mode at-risk", "at-risk  evacuate", "given up: 8 partitions", "broker 1 has left"} {
		if !strings.Contains(r.stderr, says) {
			t.Errorf("want %q said, got %v", says, r)
		}
	}
}
