package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// ran is what came of a command, as its caller sees it.
type ran struct {
	Exit
	err     error
	process Process
	lines   []string
	took    time.Duration
}

func runIt(t *testing.T, ctx context.Context, c Command) ran {
	t.Helper()
	var r ran
	var mu sync.Mutex
	if c.Output == "" {
		c.Output = filepath.Join(t.TempDir(), "out")
	}
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	c.Line = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		r.lines = append(r.lines, text)
	}
	began := time.Now()
	r.Exit, r.err = Runner{}.Run(ctx, c, func(p Process) { r.process = p })
	r.took = time.Since(began)
	return r
}

func sh(script string) []string { return []string{"sh", "-c", script} }

func TestHowACommandEndsIsTold(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		argv []string
		want Exit
		text string
	}{
		{"well", sh("echo done"), Exit{Output: "done\n"}, "exited with code 0"},
		{"with a code", sh("echo no >&2; exit 255"), Exit{Code: 255, Output: "no\n"}, "exited with code 255"},
		{"by a signal", sh("kill -9 $$"), Exit{Code: -1, Signal: "killed"}, "was ended by signal killed"},
		{"without a newline", sh("printf half"), Exit{Output: "half"}, "exited with code 0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := runIt(t, t.Context(), Command{Argv: tc.argv})
			if got.err != nil || got.Exit != tc.want || got.Exit.String() != tc.text {
				t.Errorf("got %+v (%s), %v; want %+v", got.Exit, got.Exit, got.err, tc.want)
			}
		})
	}
}

func TestArgumentsReachTheProgramAsTheyAre(t *testing.T) {
	t.Parallel()
	got := runIt(t, t.Context(), Command{Argv: []string{"printf", "<%s>\n", "a b", "", `"q"`, "$HOME", "*"}})
	if want := []string{"<a b>", "<>", `<"q">`, "<$HOME>", "<*>"}; !slices.Equal(got.lines, want) {
		t.Errorf("got %q, want %q", got.lines, want)
	}
}

func TestAChildHasNoTerminalNoInputAndItsOwnGroup(t *testing.T) {
	t.Parallel()
	got := runIt(t, t.Context(), Command{
		Argv: sh(`read x || echo "no input"; (: </dev/tty) 2>/dev/null || echo "no terminal"; echo "$DRAIN_BROKER"; echo $$`),
		Env:  []string{"DRAIN_BROKER=7"},
	})
	want := []string{"no input", "no terminal", "7", fmt.Sprint(got.process.PID)}
	if !slices.Equal(got.lines, want) {
		t.Errorf("got %q, want %q", got.lines, want)
	}
	if syscall.Getpgrp() == got.process.PID {
		t.Error("the child is in our group")
	}
}

// The time limit must end the shell's children too, and nobody may hold
// us up on an open pipe.
func TestATimeoutEndsTheWholeGroup(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"a shell that waits for its child": "sleep 300 & wait",
		"a shell that does not wait":       "sleep 300 & sleep 300",
		"children that ignore TERM":        `trap "" TERM; sh -c 'trap "" TERM; sleep 300' & while :; do sleep 1; done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := runIt(t, t.Context(), Command{Argv: sh(script), Timeout: 500 * time.Millisecond})
			if got.err != nil || !got.TimedOut || got.took > 8*time.Second {
				t.Errorf("got %+v after %v, %v; want a timeout within 8s", got.Exit, got.took, got.err)
			}
			if len(groupMembers(got.process.PID)) > 0 {
				t.Error("somebody of its group still runs")
			}
			if (Runner{}).Alive(got.process) {
				t.Error("the child is told to be alive")
			}
			if err := syscall.Kill(got.process.PID, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d is left in the table: %v", got.process.PID, err)
			}
		})
	}
}

// A child that makes a session of its own was out of reach of a signal to the
// group, and went on stopping things after its time.
func TestATimeoutEndsWhoLeftTheGroup(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("descendants are known on Linux only")
	}
	mark := "DRAIN_RUN=setsid-" + strings.ReplaceAll(t.Name(), "/", "-")
	for name, script := range map[string]string{
		"a daemon":                 "setsid sleep 300 & sleep 300",
		"a daemon that is ignored": `setsid sh -c 'trap "" TERM; while :; do sleep 1; done' & sleep 300`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark := mark + name[len(name)-3:]
			got := runIt(t, t.Context(), Command{Argv: sh(script), Env: []string{"DRAIN_BROKER=1", mark}, Mark: mark, Timeout: 500 * time.Millisecond})
			if got.err != nil || !got.TimedOut || got.Survivor != nil {
				t.Errorf("got %+v, %v; want a timeout that nobody outlives", got.Exit, got.err)
			}
			if left := strays(got.process); len(left) > 0 {
				t.Errorf("processes %v still run", left)
			}
		})
	}
}

// What another run, or nobody, started is not the child's.
func TestNobodyElseIsTakenForAStray(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("descendants are known on Linux only")
	}
	older := exec.Command("sleep", "300")
	older.Env = append(os.Environ(), "DRAIN_RUN=older")
	other := exec.Command("sleep", "300")
	other.Env = append(os.Environ(), "DRAIN_RUN=older-one", "X_DRAIN_RUN=older")
	if err := older.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { older.Process.Kill(); older.Wait() }()
	child := identify(older.Process.Pid)
	child.Started++ // began after it
	child.PID, child.Mark = 1, "DRAIN_RUN=older"
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { other.Process.Kill(); other.Wait() }()
	if got := strays(child); len(got) > 0 {
		t.Errorf("got %v, want none: pid %d is older, pid %d has another mark", got, older.Process.Pid, other.Process.Pid)
	}
	child.Started--
	if got := strays(child); !slices.Equal(got, []int{older.Process.Pid}) {
		t.Errorf("got %v, want pid %d", got, older.Process.Pid)
	}
}

// A child of another user (sudo), or one that hangs in the kernel, cannot be
// killed: it was waited for without an end.
func TestWhatCannotBeKilledIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	deaf := Runner{signal: func(int, syscall.Signal) error { return syscall.EPERM }}
	var process Process
	began := time.Now()
	exit, err := deaf.Run(t.Context(), Command{Argv: sh("sleep 300"), Output: filepath.Join(t.TempDir(), "out"), Timeout: 200 * time.Millisecond},
		func(p Process) { process = p })
	took := time.Since(began)
	if err := deaf.Kill(process); err == nil {
		t.Error("kill: got no error")
	}
	defer Runner{}.Kill(process)
	if err != nil || !exit.TimedOut || exit.Survivor == nil || exit.Survivor.PID != process.PID || exit.Code != -1 || took > 4*grace {
		t.Errorf("got %+v after %v, %v; want a timeout that pid %d outlives", exit, took, err, process.PID)
	}
	if want := fmt.Sprintf("is past its time and cannot be killed (pid %d)", process.PID); exit.String() != want {
		t.Errorf("got %q, want %q", exit, want)
	}
}

func TestTheCauseOfAnEndIsTold(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(200*time.Millisecond, func() { cancel(errors.New("another broker left")) })
	got := runIt(t, ctx, Command{Argv: sh("sleep 300")})
	if got.err != nil || got.Killed != "another broker left" || len(groupMembers(got.process.PID)) > 0 {
		t.Errorf("got %+v, %v; of its group run %v", got.Exit, got.err, groupMembers(got.process.PID))
	}
	if want := "was killed with its process group (another broker left) and was ended by signal terminated"; got.Exit.String() != want {
		t.Errorf("got %q, want %q", got.Exit, want)
	}
}

func TestAChildThatIsLeftRunsOnAndIsFoundAgain(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancel(ErrLeave) })
	got := runIt(t, ctx, Command{Argv: sh("sleep 1; echo still here; sleep 300"), Output: out})
	if !errors.Is(got.err, ErrLeave) {
		t.Fatalf("got %v, want ErrLeave", got.err)
	}
	if !(Runner{}).Alive(got.process) {
		t.Error("the child is not alive")
	}
	for text := ""; !strings.Contains(text, "still here"); {
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
		select {
		case <-time.After(20 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the child wrote nothing any more")
		}
	}
	// Another process with the same id is not the child.
	other := got.process
	other.Started++
	if (Runner{}).Alive(other) {
		t.Error("a process that started at another time is taken for the child")
	}
	if err := (Runner{}).Kill(other); err != nil || !(Runner{}).Alive(got.process) {
		t.Errorf("somebody else's process was ended: %v", err)
	}
	if err := (Runner{}).Kill(got.process); err != nil || len(groupMembers(got.process.PID)) > 0 {
		t.Errorf("it could not be ended: %v", err)
	}
}

func TestAFloodIsCutAndItsEndIsKept(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	got := runIt(t, t.Context(), Command{Argv: sh(`yes "0123456789012345678901234567890123456789" | head -c 60000000; echo the end`), Output: out})
	if got.err != nil || got.Code != 0 {
		t.Fatalf("got %+v, %v", got.Exit, got.err)
	}
	if len(got.lines) > mostLines+10 {
		t.Errorf("%d lines were handed on, want about %d", len(got.lines), mostLines)
	}
	if len(got.Output) > lastBytes || !strings.HasSuffix(got.Output, "the end\n") {
		t.Errorf("%d bytes are kept, ending with %q", len(got.Output), got.Output[max(0, len(got.Output)-20):])
	}
	info, err := os.Stat(out)
	if err != nil || info.Size() > 2*mostBytes || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %d bytes and mode %v, %v", info.Size(), info.Mode(), err)
	}
}

func TestABackgroundProcessDoesNotHoldACommandUp(t *testing.T) {
	t.Parallel()
	got := runIt(t, t.Context(), Command{Argv: sh("sleep 300 & echo started")})
	if got.err != nil || got.Code != 0 || got.took > 5*time.Second {
		t.Errorf("got %+v after %v, %v", got.Exit, got.took, got.err)
	}
	Runner{}.family(got.process).end() // what it left in the background is this test's to end
}

func TestWhatCannotBeStartedIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{}, {"no-such-program-anywhere"}, {plain}, {filepath.Join(dir, "missing")}} {
		if err := (Runner{}).Find(argv); err == nil {
			t.Errorf("find %q: got no error", argv)
		}
	}
	if err := (Runner{}).Find([]string{"sh"}); err != nil {
		t.Errorf("find sh: %v", err)
	}
	got := runIt(t, t.Context(), Command{Argv: []string{plain}})
	if got.err == nil || got.process != (Process{}) {
		t.Errorf("got %+v and process %+v, want an error and none", got.Exit, got.process)
	}
}
