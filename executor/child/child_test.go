package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// O-38: the time limit must end the shell's children too, and nobody may hold
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
			if groupRuns(got.process.PID) {
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

func TestTheCauseOfAnEndIsTold(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(200*time.Millisecond, func() { cancel(errors.New("another broker left")) })
	got := runIt(t, ctx, Command{Argv: sh("sleep 300")})
	if got.err != nil || got.Killed != "another broker left" || groupRuns(got.process.PID) {
		t.Errorf("got %+v, %v; group runs: %v", got.Exit, got.err, groupRuns(got.process.PID))
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
	if err := (Runner{}).Kill(got.process); err != nil || groupRuns(got.process.PID) {
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
	endGroup(got.process.PID) // what it left in the background is this test's to end
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
