package executor

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// reserveBytes is room for some thousands of payments.
const reserveBytes = 256 << 10

// reserve is room beside the journal that is kept until the disk is full. It is
// freed then, so that what ends a run can still be written down: a debt that is
// paid, and not recorded as paid, would be paid again over a newer setting.
type reserve struct {
	path string
	file file
}

// Reserve takes that room. It is an error, before anything is changed, if there
// is none.
func (j *Journal) Reserve() error {
	path := j.files.Reserve()
	f, err := j.open(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		j.reserve = &reserve{path, f}
		filling := make([]byte, reserveBytes)
		rand.Read(filling) // some file systems store zeros for nothing
		if _, err = f.Write(filling); err == nil {
			err = f.Sync()
		}
	}
	if err != nil {
		return fmt.Errorf("state folder %s: keep %d kB for the end of the run: %w; make room there, or choose another with --state-dir", j.files.Dir, reserveBytes>>10, errors.Join(err, j.release()))
	}
	return nil
}

// release gives the room back.
func (j *Journal) release() error {
	r := j.reserve
	if r == nil {
		return nil
	}
	j.reserve = nil
	return errors.Join(r.file.Truncate(0), r.file.Close(), os.Remove(r.path))
}

// writeInReserve is for records that found no room. Those that end something
// are written into what was kept; nothing else is from now on.
func (j *Journal) writeInReserve(records []Record, cause error) error {
	if j.reserve == nil {
		return cause
	}
	if err := errors.Join(j.release(), j.file.Truncate(j.size)); err != nil {
		return errors.Join(cause, err)
	}
	j.full = fmt.Errorf("journal %s: %w; nothing new is begun: make room there, and run again", j.Path(), cause)
	if !onlyEnd(records) {
		return nil
	}
	return j.write(records)
}

// onlyEnd says that the records tell of what was done, or of a look: to act on
// them changes nothing that is not given back.
func onlyEnd(records []Record) bool {
	for _, rec := range records {
		switch rec.Kind {
		case KindPaid, KindMoved, KindChild, KindExit, KindGone, KindEnd, KindFail, KindWindow, KindCleaned, KindClosed:
		case KindBegin:
			if deed(rec.Name) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// noRoom says that a disk, or a person's share of it, is full.
func noRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
