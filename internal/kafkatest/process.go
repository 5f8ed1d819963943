package kafkatest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// process is one child that is ended by its pid alone. It stands in a process
// group of its own, so that a Ctrl-C meant for the test does not reach it.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the child is gone and reaped
}

// startProcess runs argv with its output going to out and errOut.
func startProcess(dir string, argv []string, out, errOut io.Writer) (*process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, errOut
	cmd.SysProcAttr = childAttributes()
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go p.own(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	return p, nil
}

// own starts the child and reaps it on one thread: where the parent's death
// kills the child, it is the death of the starting thread that does, and the
// runtime may end an idle thread earlier than the process.
func (p *process) own(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	err := p.cmd.Start()
	started <- err
	if err == nil {
		_ = p.cmd.Wait() // the exit state stays in cmd.ProcessState
	}
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) signal(sig os.Signal) error { return p.cmd.Process.Signal(sig) }

func (p *process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// wait tells whether the child is gone within d.
func (p *process) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

// kill ends the child at once and waits until it is reaped.
func (p *process) kill() {
	_ = p.signal(os.Kill) // an error says that it is gone already
	<-p.done
}
