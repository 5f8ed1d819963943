package kafkatest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// cache is a folder of things that are costly to make and never change: jars,
// formatted metadata, class archives. All test processes of a host share it.
type cache struct{ root string }

// openCache finds the cache: $DRAIN_TEST_CACHE, else .cache beside the go.mod
// above the working directory.
func openCache() (cache, error) {
	if dir := os.Getenv("DRAIN_TEST_CACHE"); dir != "" {
		abs, err := filepath.Abs(dir)
		return cache{abs}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return cache{}, err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return cache{filepath.Join(dir, ".cache")}, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return cache{}, errors.New("no go.mod above the working directory: set DRAIN_TEST_CACHE to a folder")
		}
		dir = up
	}
}

// once returns the path of the entry called name, and runs fill first if there
// is none yet. Fill works in an empty folder that becomes the entry only when it
// succeeded, so that a killed test leaves no half entry; a file lock makes other
// processes wait for it instead of doing the same.
func (c cache) once(name string, fill func(dir string) error) (string, error) {
	entry := filepath.Join(c.root, name)
	if _, err := os.Stat(entry); err == nil {
		return entry, nil
	}
	if err := os.MkdirAll(filepath.Dir(entry), 0o755); err != nil {
		return "", err
	}
	lock := flock.New(entry + ".lock")
	if err := lock.Lock(); err != nil {
		return "", fmt.Errorf("lock cache entry %s: %w", name, err)
	}
	defer lock.Close()
	if _, err := os.Stat(entry); err == nil {
		return entry, nil
	}
	return entry, c.fill(entry, fill)
}

func (c cache) fill(entry string, fill func(dir string) error) error {
	tmp, err := os.MkdirTemp(filepath.Dir(entry), ".making-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := fill(tmp); err != nil {
		return err
	}
	return os.Rename(tmp, entry)
}
