// Package child runs one command of a runbook as a child process that outlives
// us if need be.
//
// A [Command] goes in, how it ended comes out as an [Exit]; between them a
// [Process] names the child so that a later run can tell whether it is still
// there. A child has its own session and process group, no terminal and no
// stdin, and writes to a file: a pipe would kill it with us. It never sees a
// shell.
package child

import (
	"fmt"
	"time"
)

// Command is what is to be run.
type Command struct {
	Argv    []string
	Env     []string // NAME=value, added to our own environment
	Mark    string   // one of Env: who has it, and is younger, is the child's; may be empty
	Output  string   // file that gets stdout and stderr; it is made, mode 0600
	Timeout time.Duration
	Line    func(string) // called for each line of output as it comes; may be nil
}

// Process names a child beyond the reuse of process ids.
type Process struct {
	PID     int    `json:"pid"`
	Started uint64 `json:"started,omitempty"` // clock ticks since boot (/proc/<pid>/stat, field 22); 0: not known
	Boot    string `json:"boot,omitempty"`    // the boot that the ticks count from; empty: not known
	Mark    string `json:"mark,omitempty"`    // the entry of its environment by which its descendants are known; empty: none
}

// Exit is how a command ended.
type Exit struct {
	Code     int      `json:"code"`             // -1: by a signal
	Signal   string   `json:"signal,omitempty"` // that ended it
	TimedOut bool     `json:"timedOut,omitempty"`
	Killed   string   `json:"killed,omitempty"`   // why we killed it, if not for its time
	Survivor *Process `json:"survivor,omitempty"` // the child or a descendant, that could not be killed; nil: nobody is left
	Output   string   `json:"output,omitempty"`   // its last lines, at most a few KiB
}

// String says how it ended, after "the command ...".
func (e Exit) String() string {
	how := fmt.Sprintf("exited with code %d", e.Code)
	if e.Signal != "" {
		how = "was ended by signal " + e.Signal
	}
	switch {
	case e.Survivor != nil && e.TimedOut:
		return fmt.Sprintf("is past its time and cannot be killed (pid %d)", e.Survivor.PID)
	case e.Survivor != nil:
		return fmt.Sprintf("was to be killed (%s) and cannot be (pid %d)", e.Killed, e.Survivor.PID)
	case e.TimedOut:
		return "was killed with its process group, its time was over, and " + how
	case e.Killed != "":
		return "was killed with its process group (" + e.Killed + ") and " + how
	}
	return how
}
