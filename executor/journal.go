package executor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Journal is the record of one run: JSON Lines, appended only, durable when
// Append returns, locked against any other process for as long as it is open.
// The kernel gives the lock back when its holder dies, however it dies. Append
// may be called from several goroutines.
type Journal struct {
	files Files
	lock  *flock.Flock

	open opener

	mu      sync.Mutex
	file    file  // nil until the first record of a new run
	size    int64 // of what is in it, whole
	records []Record
	closed  []Record // of the run before, if it has ended
	failed  error    // the first failure to write; nothing is written after it
	full    error    // the disk is full; only what ends something is written
	reserve *reserve // nil: none was taken, or it is used up
}

// file is what a journal asks of a file.
type file interface {
	io.ReadWriteCloser
	Sync() error
	Truncate(size int64) error
}

// opener opens files; tests have disks that fill up.
type opener func(name string, flag int, perm os.FileMode) (file, error)

func openFile(name string, flag int, perm os.FileMode) (file, error) {
	return os.OpenFile(name, flag, perm)
}

// openJournal locks the journal of a runbook and reads it; the state folder is
// made if need be. It is an [ErrJournal] if another process has it, or if it is
// damaged.
func openJournal(files Files, open opener) (*Journal, error) {
	if err := makeState(files.Dir); err != nil {
		return nil, err
	}
	lock := flock.New(files.Lock(), flock.SetPermissions(0o600))
	held, err := hold(lock)
	if err != nil {
		return nil, stateError(files.Dir, fmt.Errorf("lock %s: %w", files.Lock(), err))
	}
	if !held {
		return nil, fmt.Errorf("%w: %s is locked, its run is alive; `drain status` tells how far it is", ErrJournal, files.Journal())
	}
	j := &Journal{files: files, lock: lock, open: open}
	if err := j.load(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return j, nil
}

// load reads what is there, and cuts a torn last line off before anything is
// appended to it.
func (j *Journal) load() error {
	file, err := j.open(j.files.Journal(), os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	records, size, err := Read(file)
	if err != nil {
		return errors.Join(fmt.Errorf("%w: %s: %w; keep a copy, find out who touched it, and remove it only if no move or setting of its run is left",
			ErrJournal, j.files.Journal(), err), file.Close())
	}
	if ended(records) {
		j.closed = records
		return file.Close()
	}
	if len(records) == 0 {
		return file.Close()
	}
	if err := file.Truncate(size); err != nil {
		return errors.Join(err, file.Close())
	}
	j.file, j.records, j.size = file, records, size
	return nil
}

// ended says that the run of the records is over: the next starts anew.
func ended(records []Record) bool {
	return len(records) > 0 && records[len(records)-1].Kind == KindClosed
}

// Records are those of the run that was open, or was started since. They must
// not be changed.
func (j *Journal) Records() []Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.records[:len(j.records):len(j.records)]
}

// Closed are the records of the last run, if it has ended and no other was
// started.
func (j *Journal) Closed() []Record { return j.closed }

// Path is the file.
func (j *Journal) Path() string { return j.files.Journal() }

// Start begins a new run with these records after its header. It takes the
// place of an ended one at once, whole, and that one is kept under a dated
// name: whoever dies on the way leaves either of them. It must not be called
// while a run is open.
func (j *Journal) Start(h Header, more ...Record) error {
	if j.file != nil {
		if err := j.file.Close(); err != nil {
			return err
		}
	}
	making := j.Path() + ".new"
	file, err := j.open(making, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	j.file, j.records, j.size = file, nil, 0
	if err := j.Append(append([]Record{{Kind: KindHeader, Broker: none, Header: &h}}, more...)...); err != nil {
		return err
	}
	if len(j.closed) > 0 {
		first := j.closed[0]
		if err := os.Link(j.Path(), j.files.Dated(first.Time, first.Header.Run)); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	if err := os.Rename(making, j.Path()); err != nil {
		return err
	}
	j.closed = nil
	return syncDir(j.files.Dir)
}

// End closes the run, which ended well or for a reason: the next one starts a new
// file.
func (j *Journal) End(reason error) error {
	if err := j.Append(Record{Kind: KindClosed, Broker: none, Text: outcome(reason), Well: reason == nil}); err != nil {
		return err
	}
	j.closed = j.records
	return nil
}

// Append writes records, numbers and dates them, and returns once all are
// durable: they are written one by one, and waited for once. After a failure
// nothing is written any more: what comes after a torn line would be lost, and
// whoever acts without a record must not act. On a full disk what ends
// something still is, if there is a reserve.
func (j *Journal) Append(records ...Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.failed != nil || len(records) == 0:
		return j.failed
	case j.full != nil && !onlyEnd(records):
		return j.full
	}
	now := time.Now().UTC()
	for i := range records {
		records[i].N, records[i].Time = len(j.records)+i+1, now
	}
	err := j.write(records)
	if noRoom(err) {
		err = j.writeInReserve(records, err)
	}
	switch {
	case err != nil:
		j.failed = fmt.Errorf("journal %s: %w", j.Path(), err)
		return j.failed
	case j.full != nil && !onlyEnd(records):
		return j.full
	}
	j.records = append(j.records, records...)
	return nil
}

func (j *Journal) write(records []Record) error {
	var size int64
	for _, rec := range records {
		text, err := line(rec)
		if err != nil {
			return err
		}
		if _, err := j.file.Write(text); err != nil {
			return err
		}
		size += int64(len(text))
	}
	if err := j.file.Sync(); err != nil {
		return err
	}
	j.size += size
	return nil
}

// Close gives the lock back. Nothing may be appended afterwards.
func (j *Journal) Close() error {
	err := j.release()
	if j.file != nil {
		err = errors.Join(err, j.file.Close())
	}
	return errors.Join(err, j.lock.Close())
}

// Peek reads the journal of a runbook without a lock, as status does: the
// records of the run that is open, or of the one that ended last.
func Peek(files Files) ([]Record, error) { return readJournal(files.Journal()) }

// readJournal reads the journal at a path without a lock; none is no records.
func readJournal(path string) ([]Record, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, _, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrJournal, path, err)
	}
	return records, nil
}
