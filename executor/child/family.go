package child

import (
	"syscall"
	"time"
)

// family is a child and what came of it: its process group, and where the
// system tells (Linux), the processes that left the group for a session of
// their own and still have the child's mark in their environment. One that took
// another user's rights or cleared its environment is not found; `docs/RUNBOOK.md`
// says so.
type family struct {
	Process
	signal func(pid int, sig syscall.Signal) error
}

// end sends TERM to all of the family, and KILL to what is left after the
// grace. It returns one that outlives both, as a process does that hangs in the
// kernel or belongs to another user, or nil.
func (f family) end() *Process {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if f.endsBy(sig) {
			return nil
		}
	}
	for _, pid := range append(groupMembers(f.PID), strays(f.Process)...) {
		survivor := identify(pid)
		survivor.Mark = f.Mark
		return &survivor
	}
	return nil
}

// endsBy signals and waits. KILL is sent anew at each look, for those who were
// being forked meanwhile; TERM once, since a handler may be at work.
func (f family) endsBy(sig syscall.Signal) bool {
	f.send(sig)
	tick := time.NewTicker(look)
	defer tick.Stop()
	for end := time.Now().Add(grace); f.runs(); <-tick.C {
		if time.Now().After(end) {
			return false
		}
		if sig == syscall.SIGKILL {
			f.send(sig)
		}
	}
	return true
}

func (f family) send(sig syscall.Signal) {
	// The errors are that nobody is left, and that it is not ours to end: what
	// still runs afterwards is what counts.
	_ = f.signal(-f.PID, sig)
	for _, pid := range strays(f.Process) {
		_ = f.signal(pid, sig)
	}
}

func (f family) runs() bool { return len(groupMembers(f.PID))+len(strays(f.Process)) > 0 }
