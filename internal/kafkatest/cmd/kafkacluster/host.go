package main

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// host is what a test is to a cluster: it carries the context, reports to
// standard error and runs the cleanups. Its methods belong to one goroutine.
type host struct {
	ctx      context.Context
	cleanups []func()
	failed   bool
}

// errFatal unwinds from Fatalf and Skipf to run.
var errFatal = errors.New("fatal")

// run calls do, and then the cleanups, the last first, however do ended.
func (h *host) run(do func()) {
	defer func() {
		cause := recover()
		for i := len(h.cleanups) - 1; i >= 0; i-- {
			h.cleanups[i]()
		}
		if cause != nil && cause != any(errFatal) {
			panic(cause)
		}
	}()
	do()
}

func (h *host) Helper() {}

func (h *host) Name() string { return "kafkacluster" }

func (h *host) Context() context.Context { return h.ctx }

func (h *host) Cleanup(f func()) { h.cleanups = append(h.cleanups, f) }

func (h *host) Failed() bool { return h.failed }

func (h *host) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (h *host) Fatalf(format string, args ...any) {
	h.failed = true
	h.Logf(format, args...)
	panic(errFatal)
}

// Skipf is what kafkatest calls without java or mvn; a person wants to hear it.
func (h *host) Skipf(format string, args ...any) { h.Fatalf(format, args...) }

func (h *host) TempDir() string {
	dir, err := os.MkdirTemp("", "kafkacluster-")
	if err != nil {
		h.Fatalf("%v", err)
	}
	h.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
