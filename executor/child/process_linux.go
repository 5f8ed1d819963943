package child

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// awaitExit returns once the child has ended, and leaves it a zombie.
func awaitExit(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// stat is what /proc/<pid>/stat says of a process.
type stat struct {
	state   byte
	group   int
	started uint64
}

func statOf(pid int) (stat, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	// The name in parentheses may hold anything; fields are counted after it.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return stat{}, false
	}
	group, _ := strconv.Atoi(string(fields[2]))
	started, _ := strconv.ParseUint(string(fields[19]), 10, 64)
	return stat{state: fields[0][0], group: group, started: started}, true
}

func identify(pid int) Process {
	s, _ := statOf(pid)
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return Process{PID: pid, Started: s.started, Boot: strings.TrimSpace(string(boot))}
}

func runs(pid int) bool {
	s, ok := statOf(pid)
	return ok && s.alive()
}

func (s stat) alive() bool { return s.state != 'Z' && s.state != 'X' }

// groupRuns says whether a process of the group still runs.
func groupRuns(pgid int) bool {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if s, ok := statOf(pid); ok && s.group == pgid && s.alive() {
			return true
		}
	}
	return false
}
