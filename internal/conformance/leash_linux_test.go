package conformance

import "syscall"

// leash lets a judge die with the test that started it, also when that is
// killed itself.
func leash() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
