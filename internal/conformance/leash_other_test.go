//go:build !linux

package conformance

import "syscall"

func leash() *syscall.SysProcAttr { return nil }
