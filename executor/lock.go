package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// hostLocks keep two runs on this host from draining one broker, and show runs
// on other brokers of the cluster to each other. The kernel gives a lock back
// when its holder dies; the files stay.
type hostLocks struct {
	dir, cluster string
	held         []*flock.Flock
}

// holder is what a lock file says of who holds it.
type holder struct {
	Broker  int32  `json:"broker"`
	Runbook string `json:"runbook"`
	PID     int    `json:"pid"`
}

// lockBrokers takes the locks of all brokers, or none. It is an [ErrJournal]
// if another run has one of them.
func lockBrokers(dir, cluster string, brokers []int32, runbook string) (*hostLocks, error) {
	if err := makeShared(dir); err != nil {
		return nil, fmt.Errorf("folder for locks %s: %w; make it writable, or choose another with DRAIN_LOCK_DIR, the same for everybody on this host", dir, err)
	}
	l := &hostLocks{dir: dir, cluster: cluster}
	for _, b := range slices.Sorted(slices.Values(brokers)) {
		if err := l.take(b, runbook); err != nil {
			return nil, errors.Join(err, l.release())
		}
	}
	return l, nil
}

func (l *hostLocks) take(broker int32, runbook string) error {
	path := l.path(fmt.Sprint(broker))
	lock, err := shared(path)
	if err != nil {
		return err
	}
	held, err := hold(lock)
	if err != nil {
		return noLock(path, err)
	}
	if !held {
		by, _ := readHolder(path)
		return fmt.Errorf("%w: broker %d is being drained by another run on this host (%s, pid %d): wait for it, or `drain cancel` it",
			ErrJournal, broker, by.Runbook, by.PID)
	}
	l.held = append(l.held, lock)
	text, err := json.Marshal(holder{Broker: broker, Runbook: runbook, PID: os.Getpid()})
	if err != nil {
		return err
	}
	// What it says is for people; the lock itself is the kernel's.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Close())
}

// makeShared makes the folder for locks, open to every user of the host as /tmp
// is. A folder that is there stays as it is.
func makeShared(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Chmod(dir, 0o777|os.ModeSticky) // whatever the umask
}

// turn is the lock of the one run that stops a broker of the cluster.
func (l *hostLocks) turn() (*flock.Flock, error) {
	return shared(filepath.Join(l.dir, "stop-"+plainName(l.cluster)+".lock"))
}

// shared is the lock of a file that every user of the host may hold, made if it is
// not there.
func shared(path string) (*flock.Flock, error) {
	if err := makeLock(path); err != nil {
		return nil, noLock(path, err)
	}
	return opened(path), nil
}

func noLock(path string, err error) error {
	return fmt.Errorf("lock %s: %w; every user who drains brokers from this host needs to write there", path, err)
}

// makeLock makes the file of a lock, for every user. One that is there is left:
// Linux lets nobody open another user's file to create it in a folder such as
// this (fs.protected_regular).
func makeLock(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o666), f.Close())
}

// opened is the lock of a file that is there.
func opened(path string) *flock.Flock { return flock.New(path, flock.SetFlag(os.O_RDWR)) }

// hold tries to take a lock. Somebody who only looks whether it is free has it
// for a moment: that must not look like another run.
func hold(lock *flock.Flock) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	held, err := lock.TryLockContext(ctx, 20*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		return false, nil
	}
	return held, err
}

// others are the runs that drain other brokers of the cluster now, by broker.
func (l *hostLocks) others() ([]holder, error) {
	paths, err := pathsIn(l.dir, func(name string) bool {
		return strings.HasPrefix(name, l.prefix()) && strings.HasSuffix(name, ".lock")
	})
	if err != nil {
		return nil, err
	}
	var others []holder
	for _, path := range paths {
		if l.has(path) {
			continue
		}
		free, err := isFree(path)
		if err != nil {
			return nil, err
		}
		if by, ok := readHolder(path); ok && !free {
			others = append(others, by)
		}
	}
	slices.SortFunc(others, func(a, b holder) int { return int(a.Broker) - int(b.Broker) })
	return others, nil
}

func (l *hostLocks) has(path string) bool {
	return slices.ContainsFunc(l.held, func(f *flock.Flock) bool { return f.Path() == path })
}

// isFree says that nobody holds the lock, by taking and giving it back.
func isFree(path string) (bool, error) {
	lock := opened(path)
	free, err := lock.TryRLock()
	return free, errors.Join(err, lock.Close())
}

func readHolder(path string) (holder, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return holder{}, false
	}
	var by holder
	return by, json.Unmarshal(text, &by) == nil
}

// path is the lock file of a broker.
func (l *hostLocks) path(broker string) string {
	return filepath.Join(l.dir, l.prefix()+broker+".lock")
}

// prefix begins the names of the lock files of all brokers of the cluster.
func (l *hostLocks) prefix() string { return "broker-" + plainName(l.cluster) + "-" }

func (l *hostLocks) release() error {
	var errs []error
	for _, lock := range l.held {
		errs = append(errs, lock.Close())
	}
	return errors.Join(errs...)
}
