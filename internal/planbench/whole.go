package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"drain/plan"
)

// wholeRun is what a person waits for: `drain plan --snapshot FILE --broker 1`,
// from the start of the process to its end, beside scans of the same file.
type wholeRun struct {
	took, wall    time.Duration // processor time, and by the clock
	peak          int64         // bytes of memory
	bytes, tokens time.Duration // the yardsticks, in processor time
}

func (w wholeRun) String() string {
	return fmt.Sprintf("drain plan %.2f s (%.2f s by the clock), %d MB at its peak; %.2f byte scans, %.2f token scans",
		w.took.Seconds(), w.wall.Seconds(), w.peak/1e6, ratio(w.took, w.bytes), ratio(w.took, w.tokens))
}

func (o options) whole(name string) error {
	program, err := buildDrain()
	if err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(program))
	w, err := o.measureWhole(program, name)
	if err == nil {
		fmt.Printf("%-8s %v\n", name, w)
	}
	return err
}

// buildDrain builds the program that is measured, in a folder of its own.
func buildDrain() (string, error) {
	dir, err := os.MkdirTemp("", "planbench")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "drain")
	if out, err := exec.Command("go", "build", "-o", program, "drain/cmd/drain").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build drain: %w: %s", err, out)
	}
	return program, nil
}

func (o options) measureWhole(program, name string) (wholeRun, error) {
	file := filepath.Join(o.dir, name+".json")
	if o.dir == "" {
		file = filepath.Join(filepath.Dir(program), name+".json")
		if err := o.write(name, file); err != nil {
			return wholeRun{}, err
		}
		defer os.Remove(file)
	}
	w, err := runWhole(program, file)
	if err != nil {
		return wholeRun{}, fmt.Errorf("%s: %w", name, err)
	}
	if w.bytes, err = scanned(3, file, scanBytes); err == nil {
		w.tokens, err = scanned(1, file, scanTokens)
	}
	return w, err
}

func (o options) write(name, file string) error {
	c, err := o.load(name, 1)
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(plan.WriteSnapshot(f, c), f.Close())
}

// runWhole is the best of some runs.
func runWhole(program, file string) (wholeRun, error) {
	var least wholeRun
	for i := range 3 {
		process := exec.Command(program, "plan", "--snapshot", file, "--broker", "1", "--output", "json")
		process.Stdout = io.Discard
		forgetPeak()
		start := time.Now()
		if err := process.Run(); err != nil {
			return wholeRun{}, fmt.Errorf("drain plan: %w", err)
		}
		w := wholeRun{wall: time.Since(start), took: process.ProcessState.UserTime() + process.ProcessState.SystemTime()}
		if use, ok := process.ProcessState.SysUsage().(*syscall.Rusage); ok {
			w.peak = use.Maxrss * 1024 // Linux counts it in KiB
		}
		if i == 0 || w.took < least.took {
			least = w
		}
	}
	return least, nil
}
