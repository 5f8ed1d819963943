package executor

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// awkward is a folder whose name, taken for a pattern, matches no file in it.
func awkward(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "state [1]*")
}

// Journals were looked for by a pattern: in a folder with brackets in its name no
// earlier run was found, and nothing was said.
func TestJournalsAreFoundInAnyFolder(t *testing.T) {
	t.Parallel()
	files := Files{Dir: awkward(t), Name: "rb-1"}
	wantPaths(t, files, files.closed)
	wantPaths(t, files, files.others)
	if err := os.Mkdir(files.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"rb-1.jsonl", "rb-1.20260101T000000Z-A.jsonl", "rb-1.20260102T000000Z-B.jsonl", "rb-1.jsonl.new", "rb-1.lock", "rb-1.requests",
		"rb-2.jsonl", "rb-2.20260101T000000Z-C.jsonl", "rb-11.jsonl",
	} {
		if err := os.WriteFile(filepath.Join(files.Dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantPaths(t, files, files.closed, "rb-1.20260102T000000Z-B.jsonl", "rb-1.20260101T000000Z-A.jsonl")
	wantPaths(t, files, files.others, "rb-11.jsonl", "rb-2.jsonl")
}

func wantPaths(t *testing.T, files Files, of func() ([]string, error), names ...string) {
	t.Helper()
	var want []string
	for _, name := range names {
		want = append(want, filepath.Join(files.Dir, name))
	}
	if got, err := of(); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// Another run on the host was not seen there, and its broker could have been
// chosen as a destination.
func TestOtherDrainsAreSeenInAnyFolder(t *testing.T) {
	t.Parallel()
	dir := awkward(t)
	first, err := lockBrokers(dir, "c", []int32{1}, "one.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer first.release()
	second, err := lockBrokers(dir, "c", []int32{2}, "two.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer second.release()
	others, err := second.others()
	if err != nil || len(others) != 1 || others[0].Broker != 1 || others[0].Runbook != "one.yaml" {
		t.Errorf("got %+v, %v; want the run of one.yaml", others, err)
	}
}
