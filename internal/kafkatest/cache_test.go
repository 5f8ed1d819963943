package kafkatest

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

func TestAnEntryIsMadeOnceForAllWhoAskAtOnce(t *testing.T) {
	t.Parallel()
	c := cache{t.TempDir()}
	var fills atomic.Int32
	fill := func(dir string) error {
		fills.Add(1)
		return os.WriteFile(filepath.Join(dir, "content"), []byte("x"), 0o644)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			dir, err := c.once("some/entry", fill)
			if err != nil {
				t.Errorf("once: %v", err)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "content")); string(text) != "x" {
				t.Errorf("content: got %q, %v", text, err)
			}
		})
	}
	all.Wait()
	if got := fills.Load(); got != 1 {
		t.Errorf("filled %d times, want 1", got)
	}
}

func TestAnEntryWhoseMakingFailedIsNotThere(t *testing.T) {
	t.Parallel()
	c := cache{t.TempDir()}
	broken := errors.New("broken")
	fail := func(dir string) error {
		return errors.Join(os.WriteFile(filepath.Join(dir, "half"), nil, 0o644), broken)
	}
	dir, err := c.once("entry", fail)
	if !errors.Is(err, broken) {
		t.Fatalf("got %v, want %v", err, broken)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the half entry stays: %v", err)
	}
	if _, err := c.once("entry", func(string) error { return nil }); err != nil {
		t.Errorf("another try: %v", err)
	}
}

func TestTheCacheLiesBesideGoModUnlessTold(t *testing.T) {
	t.Setenv("DRAIN_TEST_CACHE", "")
	c, err := openCache()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.root, "..", "go.mod")); err != nil || filepath.Base(c.root) != ".cache" {
		t.Errorf("got %s, want .cache beside go.mod (%v)", c.root, err)
	}
	told := t.TempDir()
	t.Setenv("DRAIN_TEST_CACHE", told)
	if c, err := openCache(); err != nil || c.root != told {
		t.Errorf("got %s, %v; want %s", c.root, err, told)
	}
}
