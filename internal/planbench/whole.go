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

// whole measures what a person waits for: reading the file, planning and
// printing, in a process of its own, beside a streaming scan of the same file
// that keeps nothing.
func (o options) whole(name string) error {
	file := filepath.Join(o.dir, name+".json")
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "planbench")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, name+".json")
		if err := o.write(name, file); err != nil {
			return err
		}
	}
	scan, err := scanFile(file)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	start := time.Now()
	out, err := exec.Command(self, "-one", file).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	took := time.Since(start)
	fmt.Printf("%-8s scan %6.0f ms, whole process %6.0f ms, %.2f scans, peak %s\n", name,
		scan.Seconds()*1000, took.Seconds()*1000, float64(took)/float64(scan), strings.TrimSpace(string(out)))
	return nil
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
	start := time.Now()
	tokens := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for {
		if _, err := tokens.Token(); errors.Is(err, io.EOF) {
			return time.Since(start), nil
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
