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
	if code != 0 || stderr != "" || !strings.Contains(text, "\ncluster:\n  simulated: \"log-cluster\"\n\n") || strings.Contains(text, "bootstrap") || strings.Contains(text, "127.0.0.1") {
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

func TestInitNamesTheOthersOfALiveCluster(t *testing.T) {
	t.Parallel()
	cluster := startLogCluster(t)
	code, text, stderr := call(t, "init", "--bootstrap", cluster.Bootstrap()[0], "--broker", "1")
	if code != 0 || stderr != "" {
		t.Fatalf("got %d, %q", code, stderr)
	}
	for _, want := range []string{"  bootstrap: [\"127.0.0.1:", "  id: \"" + cluster.State().ID + "\"\n", "command: [ssh, \"{host}\"", "#   broker 7  127.0.0.1:"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
