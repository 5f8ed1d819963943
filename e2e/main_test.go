// Package e2e_test drives the built program as its users do: as a process, with
// a runbook, on real Kafka and on the simulated cluster, judged from outside by
// other clients.
package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program is the path of the drain binary that the tests run.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "drain-e2e-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "drain")
	build := exec.Command("go", "build", "-o", program, "drain/cmd/drain")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build drain:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// result is how one call of drain ended.
type result struct {
	exit           int
	stdout, stderr string
	took           time.Duration
}

// place is a state folder with a runbook in it: what one user has.
type place struct {
	t   *testing.T
	dir string
	env []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	return &place{t: t, dir: t.TempDir()}
}

// runbook writes the text as broker.yaml and returns its path.
func (p *place) runbook(text string) string {
	p.t.Helper()
	path := filepath.Join(p.dir, "broker.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// command is a call of drain with the place's own state folder.
func (p *place) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "DRAIN_STATE_DIR="+filepath.Join(p.dir, "state"), "DRAIN_LOCK_DIR="+filepath.Join(p.dir, "locks"), "NO_COLOR=1")
	cmd.Env = append(cmd.Env, p.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// drain runs the program to its end, which must come within three minutes.
func (p *place) drain(args ...string) result {
	p.t.Helper()
	r := p.start(args...)
	return r.wait(3 * time.Minute)
}

// running is a call of drain that is under way. Its output may be read while it
// runs.
type running struct {
	p        *place
	cmd      *exec.Cmd
	args     []string
	out, err *syncBuffer
	began    time.Time
}

func (p *place) start(args ...string) *running {
	p.t.Helper()
	r := &running{p: p, args: args, out: &syncBuffer{}, err: &syncBuffer{}, began: time.Now()}
	r.cmd = p.command(context.WithoutCancel(p.t.Context()), args...)
	r.cmd.Stdout, r.cmd.Stderr = r.out, r.err
	if err := r.cmd.Start(); err != nil {
		p.t.Fatalf("drain %s: %v", strings.Join(args, " "), err)
	}
	p.t.Cleanup(func() { r.cmd.Process.Kill() })
	return r
}

func (r *running) wait(limit time.Duration) result {
	r.p.t.Helper()
	late := time.AfterFunc(limit, func() { r.cmd.Process.Kill() })
	err := r.cmd.Wait()
	res := result{exit: 0, stdout: r.out.String(), stderr: r.err.String(), took: time.Since(r.began)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		res.exit = exit.ExitCode()
	} else if err != nil {
		r.p.t.Fatalf("drain %s: %v", strings.Join(r.args, " "), err)
	}
	if !late.Stop() {
		r.p.t.Fatalf("drain %s did not end within %v\n%s", strings.Join(r.args, " "), limit, res)
	}
	return res
}

func (r *running) signal(s os.Signal) {
	r.p.t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.p.t.Fatal(err)
	}
}

// String is the whole output, for failures.
func (r result) String() string {
	return fmt.Sprintf("exit %d after %v\n--- stdout\n%s--- stderr\n%s", r.exit, r.took.Round(time.Millisecond), r.stdout, r.stderr)
}

// want fails the test unless drain ended with that code.
func (r result) want(t *testing.T, exit int) {
	t.Helper()
	if r.exit != exit {
		t.Fatalf("want exit %d, got %v", exit, r)
	}
}

// syncBuffer is a buffer that one goroutine writes while others read it.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// eventually polls until ok, and fails the test when the limit passes.
func eventually(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", limit, what)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(context.Cause(t.Context()))
		case <-time.After(20 * time.Millisecond):
		}
	}
}
