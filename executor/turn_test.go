package executor

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The lock of the stop was made for the user who took it first, in a folder that is
// for all: nobody else on the host could stop a broker of the cluster any more.
func TestEveryLockOfTheHostIsForEveryUser(t *testing.T) {
	t.Parallel()
	r := newRun(Config{})
	dir := filepath.Join(t.TempDir(), "locks")
	var err error
	if r.locks, err = lockBrokers(dir, "C", []int32{1, 2}, "/runbook.yaml"); err != nil {
		t.Fatal(err)
	}
	if err := r.takeTurn(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]fs.FileMode{"broker-C-1.lock": 0o666, "broker-C-2.lock": 0o666, "stop-C.lock": 0o666}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != len(want) {
		t.Fatalf("got %v, %v; want %v", files, err, want)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		if mode, known := want[f.Name()]; !known || info.Mode().Perm() != mode {
			t.Errorf("%s: got mode %v, want %v", f.Name(), info.Mode(), mode)
		}
	}
	r.yieldTurn()
	if err := r.locks.release(); err != nil {
		t.Fatal(err)
	}
	if again, err := lockBrokers(dir, "C", []int32{1, 2}, "/runbook.yaml"); err != nil {
		t.Error(err)
	} else if err := again.release(); err != nil {
		t.Error(err)
	}
}

// A file that is there and cannot be opened, as one of an earlier drain of another
// user: it is named, with what to do.
func TestALockThatCannotBeTakenIsNamed(t *testing.T) {
	t.Parallel()
	r := newRun(Config{})
	r.locks = &hostLocks{dir: t.TempDir(), cluster: "C"}
	path := filepath.Join(r.locks.dir, "stop-C.lock")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := r.takeTurn(t.Context()); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "every user") {
		t.Errorf("got %v, want %s and the remedy", err, path)
	}
}
