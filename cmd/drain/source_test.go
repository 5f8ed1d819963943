package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// The collector rests for a file of a size that is known. A pipe tells 0, and may
// bring more than there is memory.
func TestTheCollectorRestsForAFileOnly(t *testing.T) {
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	resting := func(f *os.File) bool {
		again := collectLater(f)
		percent := debug.SetGCPercent(100)
		debug.SetGCPercent(percent)
		again()
		return percent < 0
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "snapshot.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	pipe, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer writer.Close()
	if !resting(file) || resting(pipe) {
		t.Errorf("for a file %v, want true; for a pipe %v, want false", resting(file), resting(pipe))
	}
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("afterwards it is at %d, want 100", percent)
	}
}
