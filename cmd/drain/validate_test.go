package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program that asks for JSON got nothing for the very runbooks that it asks about.
func TestAnInvalidRunbookIsADocumentToo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(file, []byte("version: 1\nbroker: 010\nthrotle: 5MB/s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := call(t, "validate", file, "--output", "json")
	var got struct {
		Runbook string
		Valid   *bool
		Error   string
		Errors  []struct {
			Line         int
			Key, Message string
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	if code != 4 || got.Valid == nil || *got.Valid || got.Runbook != file || !strings.Contains(got.Error, file+":2: broker:") || !strings.Contains(stderr, got.Error) {
		t.Errorf("got %d, %+v, stderr %q", code, got, stderr)
	}
	if len(got.Errors) != 2 || got.Errors[0].Line != 2 || got.Errors[1].Line != 3 || got.Errors[1].Key != "throtle" {
		t.Errorf("got errors %+v, want one on line 2 and one on line 3", got.Errors)
	}
}

// A file that cannot be read was no runbook at all, and nothing was wrong with it.
func TestARunbookThatCannotBeReadIsADocumentToo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, says := range map[string]string{filepath.Join(dir, "missing.yaml"): "no such file", dir: "is a folder"} {
		code, stdout, _ := call(t, "validate", name, "--output", "json")
		var got struct {
			Runbook, Error string
			Errors         []struct{ Message string }
		}
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatalf("%v in %q", err, stdout)
		}
		if code != 4 || got.Runbook != name || !strings.Contains(got.Error, says) || len(got.Errors) != 1 || got.Errors[0].Message != got.Error {
			t.Errorf("got %d, %+v; want %q of %s as the one error", code, got, says, name)
		}
	}
}
