package executor

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// A real disk of 1 MB, which somebody else fills while replicas move.
func TestADiskThatFillsUpEndsTheRunInOrder(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small disk needs root: %v", err)
	}
	defer syscall.Unmount(disk, 0)
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.dir = filepath.Join(disk, "state")
		var once sync.Once
		filler := filepath.Join(disk, "filler")
		r.onEvent = func(ev Event) {
			if ev.Kind == EventProgress && ev.Move != nil && ev.Move.Progress != nil && ev.Move.Progress.Moves > 0 {
				once.Do(func() {
					if err := fill(filler); !errors.Is(err, syscall.ENOSPC) {
						r.Errorf("fill the disk: %v", err)
					}
				})
			}
		}
		done, err := r.run()
		r.wants(err, syscall.ENOSPC, "make room there")
		if !done.Changed || r.runner.stops() > 0 {
			r.Errorf("done %+v, %d stops", done, r.runner.stops())
		}
		if h := fold(r.records()); len(h.book.Open()) != len(done.Owed) || len(done.Owed) > 0 && inFlight(r.sim.State()) == 0 {
			r.Errorf("owed by the file %v, by the run %v, %d in flight", h.book.Open(), done.Owed, inFlight(r.sim.State()))
		}
		if err := os.Remove(filler); err != nil {
			r.Fatal(err)
		}
		if _, err := r.run(); err != nil || r.runner.stops() != 1 {
			r.Errorf("with room again: %v, %d stops", err, r.runner.stops())
		}
		r.drained(before, 1)
	})
}

// fill writes until there is no room.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	return err
}
