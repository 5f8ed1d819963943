//go:build !linux

package child

import (
	"os/exec"
	"syscall"
)

// awaitExit returns once the child has ended and was reaped.
func awaitExit(cmd *exec.Cmd) {
	_ = cmd.Wait() // the status is read afterwards
}

// identify knows no start time here, so that a later run cannot tell a reused
// id from the child: it takes it for the child, and waits.
func identify(pid int) Process { return Process{PID: pid} }

func runs(pid int) bool { return syscall.Kill(pid, 0) == nil }

// groupMembers is the leader for all, as long as one of them is there.
func groupMembers(pgid int) []int {
	if syscall.Kill(-pgid, 0) != nil {
		return nil
	}
	return []int{pgid}
}

// strays are not told here: the group is all that is known of a child.
func strays(Process) []int { return nil }
