package executor

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"testing"
)

// room is a disk with so many bytes left, for all files on it.
type room struct {
	mu   sync.Mutex
	left int
}

func (r *room) open(name string, flag int, perm os.FileMode) (file, error) {
	f, err := openFile(name, flag, perm)
	return &roomed{file: f, of: r}, err
}

// roomed is a file on it.
type roomed struct {
	file
	of   *room
	size int
}

func (f *roomed) Write(b []byte) (int, error) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	n := min(len(b), f.of.left)
	f.of.left, f.size = f.of.left-n, f.size+n
	if wrote, err := f.file.Write(b[:n]); err != nil || n == len(b) {
		return wrote, err
	}
	return n, fmt.Errorf("write: %w", syscall.ENOSPC)
}

func (f *roomed) Truncate(size int64) error {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.of.left, f.size = f.of.left+f.size-int(size), int(size)
	return f.file.Truncate(size)
}

// Settings that were given back while the disk was full could not be recorded as
// given back, and a later run gave them back again.
func TestDebtsArePaidAndRecordedOnAFullDisk(t *testing.T) {
	t.Parallel()
	changed := 0
	for left, full := reserveBytes+600, true; full && !t.Failed(); left += 1300 {
		simulate(t, incident(), plainRunbook, func(r *rig) {
			before := r.sim.State()
			r.disk = (&room{left: left}).open
			done, err := r.run()
			if full = err != nil; !full {
				return
			}
			if !errors.Is(err, syscall.ENOSPC) || r.runner.stops() > 0 && !done.StopBegun {
				r.Fatalf("%d bytes left: %v, %d stops, done %+v", left, err, r.runner.stops(), done)
			}
			if done.Changed {
				changed++
			}
			wrong := r.left(before)
			if inFlight(r.sim.State()) == 0 && len(done.Owed) > 0 {
				r.Errorf("%d bytes left: owed although nothing is in flight: %v; left %q", left, done.Owed, wrong)
			}
			if records := fold(r.records()); len(records.book.Open()) != len(done.Owed)+len(done.Cordoned) {
				r.Errorf("%d bytes left: the file says that %v is owed, the run says %v", left, records.book.Open(), done.Owed)
			}
			if len(wrong) > 0 && len(done.Owed) == 0 && inFlight(r.sim.State()) == 0 && r.runner.stops() == 0 {
				r.Errorf("%d bytes left: left, and not owed: %q", left, wrong)
			}
			r.disk = nil
			if _, err := r.run(); err != nil || r.runner.stops() != 1 {
				r.Errorf("%d bytes left, with room again: %v, %d stops", left, err, r.runner.stops())
			}
			r.drained(before, 1)
		})
	}
	if changed < 5 {
		t.Errorf("the disk was full behind a change in %d runs only", changed)
	}
}

func TestARunWithoutRoomForItsEndDoesNotBegin(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.disk = (&room{left: reserveBytes - 1}).open
		done, err := r.run()
		r.wants(err, syscall.ENOSPC, "state folder "+r.dir, "--state-dir")
		if done.Changed {
			r.Errorf("done %+v", done)
		}
		r.untouched(before)
		if _, err := os.Stat(r.files().Reserve()); !errors.Is(err, os.ErrNotExist) {
			r.Errorf("the reserve is left behind: %v", err)
		}
	})
}
