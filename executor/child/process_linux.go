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

// groupMembers are the processes of the group that still run.
func groupMembers(pgid int) []int {
	return running(func(_ int, s stat) bool { return s.group == pgid })
}

// strays are the processes outside of the child's group that have its mark and
// began no earlier than it.
func strays(p Process) []int {
	if p.Mark == "" {
		return nil
	}
	return running(func(pid int, s stat) bool {
		return s.group != p.PID && s.started >= p.Started && pid != os.Getpid() && marked(pid, p.Mark)
	})
}

// running are the processes that still run and are meant.
func running(meant func(pid int, s stat) bool) []int {
	var pids []int
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if s, ok := statOf(pid); ok && s.alive() && meant(pid, s) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// marked says that the environment a process began with has the entry. That of
// another user's process cannot be read.
func marked(pid int, entry string) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(append([]byte{0}, text...), []byte("\x00"+entry+"\x00"))
}
