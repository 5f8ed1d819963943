package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mishaps is how many drains of each kind are ended badly: a few as a rule,
// twenty with DRAIN_LONG=1. Each is a subtest named after its seed.
func mishaps() int {
	if os.Getenv("DRAIN_LONG") == "1" {
		return 20
	}
	return 3
}

// eachSeed runs f for each mishap, until one fails: the next would start from a
// broken cluster.
func eachSeed(t *testing.T, f func(t *testing.T, seed int, random *rand.Rand)) {
	for seed := range mishaps() {
		ok := t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			f(t, seed, rand.New(rand.NewPCG(uint64(seed), 1)))
		})
		if !ok {
			return
		}
	}
}

// moment is a point of a run: so long after the first record of a kind.
type moment struct {
	kind  string
	later time.Duration
}

func (m moment) String() string { return fmt.Sprintf("%v after %q", m.later, m.kind) }

// recordKinds are where the phases of a run begin, in their order.
var recordKinds = []string{"header", "baseline", "plan", "consent", "owe", "submit", "moved", "paid", "act", "child", "exit", "gone"}

// await waits until the moment has come, or the run is over: then it is false.
func (m moment) await(t *testing.T, r *running) bool {
	t.Helper()
	var seen time.Time
	over := false
	eventually(t, killLimit, "the journal to reach "+m.kind, func() bool {
		if over = r.over(); over {
			return true
		}
		if seen.IsZero() && strings.Contains(r.p.journal(), `"kind":"`+m.kind+`"`) {
			seen = time.Now()
		}
		return !seen.IsZero() && time.Since(seen) >= m.later
	})
	return !over
}

// over says that the process has ended. It is still to be waited for.
func (r *running) over() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.cmd.Process.Pid))
	_, after, found := strings.Cut(string(stat), ") ")
	return err != nil || found && strings.HasPrefix(after, "Z")
}

// journal is the text of the journals of a place.
func (p *place) journal() string {
	var all strings.Builder
	files, _ := filepath.Glob(filepath.Join(p.dir, "state", "*.jsonl"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		all.Write(text)
	}
	return all.String()
}

// eventsOf are the events that a run has told so far.
func eventsOf(out string) []event {
	var all []event
	for line := range strings.Lines(out) {
		var ev event
		if json.Unmarshal([]byte(line), &ev) == nil {
			all = append(all, ev)
		}
	}
	return all
}

// kill ends a run with SIGKILL at a moment. It is false if the run was over
// before.
func (r *running) kill(t *testing.T, at moment) bool {
	t.Helper()
	if !at.await(t, r) {
		return false
	}
	r.signal(syscall.SIGKILL)
	return r.wait(10*time.Second).exit == -1
}
