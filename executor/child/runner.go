package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// ErrLeave as the cause of a context lets a child run on alone: Run returns at
// once, and whoever comes next finds the child by its Process.
var ErrLeave = errors.New("left running")

const (
	// grace is how long a group has between TERM and KILL.
	grace = 3 * time.Second
	// look is how often output and group are looked at.
	look = 50 * time.Millisecond
)

// Runner runs commands. The zero value is ready, and may be used by several
// goroutines at once.
type Runner struct {
	signal func(pid int, sig syscall.Signal) error // of tests; nil: kill(2)
}

func (r Runner) family(p Process) family {
	if r.signal == nil {
		return family{p, syscall.Kill}
	}
	return family{p, r.signal}
}

// Find is nil if the program argv[0] exists and may be executed. A name with a
// slash is taken from the working directory, any other from PATH.
func (Runner) Find(argv []string) error {
	if len(argv) == 0 {
		return errors.New("the command is empty")
	}
	_, err := exec.LookPath(argv[0])
	return err
}

// Run starts the command, tells started who it is, and waits for its end. When
// Command.Timeout has passed, or ctx ends, the whole process group, and whoever
// left it, gets TERM and a little later KILL; what outlives that is not waited
// for, and is Exit.Survivor. With [ErrLeave] as the cause the child is left
// alone, and that is the error. Any other error is for a command that could not
// be started.
func (r Runner) Run(ctx context.Context, c Command, started func(Process)) (Exit, error) {
	out, err := os.OpenFile(c.Output, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return Exit{}, err
	}
	defer out.Close()
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdout, cmd.Stderr = out, out // files, not pipes: nothing to be drained, nothing that ends with us
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return Exit{}, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	process := identify(cmd.Process.Pid)
	process.Mark = c.Mark
	started(process)
	tail := newTail(c.Output, c.Line)
	defer tail.close()
	return wait(ctx, cmd, c.Timeout, tail, r.family(process))
}

// wait follows the output until the child has ended or must be killed.
func wait(ctx context.Context, cmd *exec.Cmd, timeout time.Duration, tail *tail, f family) (Exit, error) {
	ended := make(chan struct{})
	go func() {
		// The zombie is kept: while it holds the id of the group, a signal to
		// the group cannot reach anybody else.
		awaitExit(cmd)
		close(ended)
	}()
	exit, err := follow(ctx, ended, timeout, tail)
	if err != nil {
		return Exit{}, err
	}
	if exit.TimedOut || exit.Killed != "" {
		exit.Survivor = f.end()
	}
	if exit.Code = -1; over(ended) { // else nobody waits for what cannot be killed
		exit.Code, exit.Signal = status(cmd)
	}
	tail.follow()
	exit.Output = tail.last()
	return exit, nil
}

// follow returns once the child has ended, or why it must.
func follow(ctx context.Context, ended <-chan struct{}, timeout time.Duration, tail *tail) (Exit, error) {
	end := time.NewTimer(timeout)
	defer end.Stop()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return Exit{}, nil
		case <-end.C:
			return Exit{TimedOut: true}, nil
		case <-ctx.Done():
			cause := context.Cause(ctx)
			if errors.Is(cause, ErrLeave) {
				return Exit{}, cause
			}
			return Exit{Killed: cause.Error()}, nil
		case <-tick.C:
			tail.follow()
		}
	}
}

// over says that the child has ended, a moment after its group at the latest.
func over(ended <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	case <-time.After(time.Second):
		return false
	}
}

// status reaps the child and says how it ended.
func status(cmd *exec.Cmd) (code int, signal string) {
	if cmd.ProcessState == nil {
		_ = cmd.Wait() // the error is a bad exit status, which is what is asked for
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return -1, ws.Signal().String()
	}
	return cmd.ProcessState.ExitCode(), ""
}

// Alive says whether that very process still runs: the same id, started at the
// same time of the same boot. A zombie does not run.
func (Runner) Alive(p Process) bool {
	now := identify(p.PID)
	return p.PID > 0 && now.Started == p.Started && now.Boot == p.Boot && runs(p.PID)
}

// Kill ends a process that an earlier run of drain started, if it is still
// alive, with its group and whoever left that. It is an error if somebody
// outlives it.
func (r Runner) Kill(p Process) error {
	if !r.Alive(p) {
		return nil
	}
	if left := r.family(p).end(); left != nil {
		return fmt.Errorf("process %d cannot be killed", left.PID)
	}
	return nil
}
