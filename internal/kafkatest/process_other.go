//go:build !linux

package kafkatest

import "syscall"

// childAttributes gives the child a process group. Only Linux can also tie its
// life to ours: elsewhere a test that panics leaves its brokers running.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
