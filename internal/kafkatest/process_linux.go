package kafkatest

import "syscall"

// childAttributes lets the kernel kill the child when the test process dies in a
// way that runs no cleanup: a panic on another goroutine, the test's timeout.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
