package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"drain/executor"
)

// An approval before its question was dropped, and whoever gave it went home.
func TestAnApprovalThatNobodyWaitsForIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "one.yaml")
	if err := os.WriteFile(file, []byte("version: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := call(t, "approve", file, "--state-dir", dir)
	if code != 4 || !strings.Contains(stderr, "no run of one.yaml is alive on this host") {
		t.Errorf("no run is alive: got %d, %q", code, stderr)
	}
	files := executor.FilesOf(dir, file)
	if err := os.WriteFile(files.Journal(), []byte(journal(t, "c")), 0o600); err != nil {
		t.Fatal(err)
	}
	alive := flock.New(files.Lock())
	if err := alive.Lock(); err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	code, _, stderr = call(t, "approve", file, "--state-dir", dir)
	if code != 4 || !strings.Contains(stderr, "the run of one.yaml does not wait for an approval now") {
		t.Errorf("the run does not wait: got %d, %q", code, stderr)
	}
	if code, stdout, _ := call(t, "throttle", file, "5MB/s", "--state-dir", dir); code != 0 || !strings.Contains(stdout, "told the live run") {
		t.Errorf("a throttle: got %d, %q", code, stdout)
	}
}
