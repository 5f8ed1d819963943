package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The runbook of a simulated cluster named the addresses of one that had ended
// with the command that wrote it.
func TestInitWritesARunbookThatRunsOnASimulatedCluster(t *testing.T) {
	t.Parallel()
	code, text, stderr := call(t, "init", "--simulated", "log-cluster", "--broker", "3")
	if code != 0 || stderr != "" || !strings.Contains(text, "\ncluster:\n  simulated: \"log-cluster\"\n\n") || strings.Contains(text, "bootstrap") {
		t.Fatalf("got %d, stderr %q and\n%s", code, stderr, text)
	}
	file := filepath.Join(t.TempDir(), "broker-3.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := call(t, "run", "--dry-run", file); code != 0 || !strings.Contains(stdout, "simulated-stop 3") {
		t.Errorf("a dry run of it: %d, %q, %q", code, stdout, stderr)
	}
}
