package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
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
	lock := flock.New(path, flock.SetPermissions(0o600))
	held, err := hold(lock)
	if err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
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
	return os.WriteFile(path, append(text, '\n'), 0o600)
}

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
	paths, err := filepath.Glob(l.path("*"))
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
	lock := flock.New(path, flock.SetPermissions(0o600))
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

// path is the lock file of a broker, or a pattern for those of all.
func (l *hostLocks) path(broker string) string {
	return filepath.Join(l.dir, "broker-"+plainName(l.cluster)+"-"+broker+".lock")
}

func (l *hostLocks) release() error {
	var errs []error
	for _, lock := range l.held {
		errs = append(errs, lock.Close())
	}
	return errors.Join(errs...)
}
