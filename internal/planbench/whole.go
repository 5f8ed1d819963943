package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"drain/plan"
)

// wholeRun is what a person waits for: reading the file, planning and printing,
// in a process of its own, beside a streaming scan of the same file that keeps
// nothing.
type wholeRun struct {
	scan, took time.Duration // processor time
	peak       string        // memory; empty where the system does not tell
}

func (w wholeRun) scans() float64 { return float64(w.took) / float64(w.scan) }

func (o options) whole(name string) error {
	w, err := o.measureWhole(name)
	if err == nil {
		fmt.Printf("%-8s scan %6.0f ms, whole process %6.0f ms, %.2f scans, peak %s\n", name,
			w.scan.Seconds()*1000, w.took.Seconds()*1000, w.scans(), w.peak)
	}
	return err
}

func (o options) measureWhole(name string) (wholeRun, error) {
	file := filepath.Join(o.dir, name+".json")
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "planbench")
		if err != nil {
			return wholeRun{}, err
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, name+".json")
		if err := o.write(name, file); err != nil {
			return wholeRun{}, err
		}
	}
	scan, err := scanFile(file)
	if err != nil {
		return wholeRun{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return wholeRun{}, err
	}
	process := exec.Command(self, "-one", file)
	out, err := process.CombinedOutput()
	if err != nil {
		return wholeRun{}, fmt.Errorf("%s: %w: %s", name, err, out)
	}
	state := process.ProcessState
	return wholeRun{scan, state.UserTime() + state.SystemTime(), strings.TrimSpace(string(out))}, nil
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

// scanFile reads the tokens of a JSON file.
func scanFile(file string) (time.Duration, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	start := used()
	tokens := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for {
		if _, err := tokens.Token(); errors.Is(err, io.EOF) {
			return used() - start, nil
		} else if err != nil {
			return 0, err
		}
	}
}

// one is the process that whole measures. It prints its peak memory.
func one(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	c, err := plan.ReadSnapshot(f)
	if err != nil {
		return err
	}
	p, err := plan.Compute(c, plan.Request{Brokers: []int32{c.Brokers[0].ID}, Slack: 0.25, DiskHeadroom: 0.1})
	if err != nil {
		return err
	}
	if err := json.NewEncoder(io.Discard).Encode(p); err != nil {
		return err
	}
	status, err := os.ReadFile("/proc/self/status") // Linux; elsewhere the peak is not told
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(status)) {
		if peak, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Println(strings.TrimSpace(peak))
		}
	}
	return nil
}
