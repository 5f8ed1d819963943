package e2e_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/simkafka"
)

// TestInterruptsAroundAStop interrupts one drain of a real broker while its stop
// command runs, and again in the watch after it, kills its restore in the middle,
// and ends with the cluster as it was: each call goes on where the one before was.
func TestInterruptsAroundAStop(t *testing.T) {
	t.Parallel()
	c := startSmall(t)
	giveReplicas(c, 0)
	before := c.Describe()
	p := newPlace(t)
	runbook := p.runbook(strings.Replace(slowStopRunbook(t, c), "confirm: 2s", "confirm: 10s", 1))
	args := []string{"run", runbook, "--yes", "--output", "json"}

	r := interruptAt(t, p.start(args...), phases[4].at)
	r.want(t, 7)
	if !strings.Contains(r.stderr, "runs on") {
		t.Errorf("in the stop: %v", r)
	}
	watching := func(ev event) bool { return ev.Step == "confirm" && ev.Event == "step" }
	interruptAt(t, p.start(args...), watching).want(t, 130)
	if s := p.drain("status", runbook); s.exit != 0 || !strings.Contains(s.stdout, "stopped, and not watched to the end") {
		t.Errorf("status after the watch was interrupted: %v", s)
	}
	p.drain(args...).want(t, 0)
	if runs := c.StopRuns(1); runs != 1 {
		t.Errorf("the stop command ran %d times, want once", runs)
	}

	c.Restart(1)
	awaitBrokers(t, c, c.Brokers())
	restore := []string{"restore", runbook, "--yes", "--output", "json"}
	killAt(t, p.start(restore...), func(ev event) bool {
		return ev.Event == "progress" && ev.Progress.InFlight > 0 && ev.Progress.Bytes > 0
	})
	p.drain(restore...).want(t, 0)
	settled(t, c)
	if diff := before.Diff(c.Describe()); len(diff) > 0 {
		t.Errorf("after the restore not as before:\n%s", strings.Join(diff, "\n"))
	}
}

// interruptAt sends SIGINT once an event shows that a phase has come, and waits for
// the end.
func interruptAt(t *testing.T, r *running, there func(event) bool) result {
	t.Helper()
	eventually(t, killLimit, "the phase to interrupt", func() bool { return r.saw(there) })
	r.signal(os.Interrupt)
	return r.wait(killLimit)
}

// TestASecondInterruptEndsAtOnce: the first gives settings back, which a cluster
// that does not answer holds up; whoever cannot wait for that asks again. The run
// goes on from there.
func TestASecondInterruptEndsAtOnce(t *testing.T) {
	t.Parallel()
	p, c := newPlace(t), startLogCluster(t)
	p.env = []string{"DRAIN_SIMULATED=" + c.ControlAddr()}
	runbook := p.runbook(twinRunbook(c))
	r := copying(t, p, runbook)
	hold := make(chan struct{})
	release := c.Inject(simkafka.Fault{Keys: []kmsg.Key{kmsg.IncrementalAlterConfigs, kmsg.DescribeConfigs, kmsg.Metadata}, Hold: hold, Times: -1})
	r.signal(os.Interrupt)
	if ended := endsWithin(r, 3*time.Second); ended {
		t.Fatal("it ended although nothing could be given back")
	}
	second := time.Now()
	r.signal(os.Interrupt)
	res := r.wait(killLimit)
	if took := time.Since(second); took > 2*time.Second || res.exit == 0 {
		t.Errorf("the second interrupt took %v: %v", took, res)
	}
	release()
	close(hold)
	p.drain("run", runbook, "--yes", "--throttle", "100MB/s").want(t, 0)
}

// endsWithin says whether a process ends by itself.
func endsWithin(r *running, d time.Duration) bool {
	for end := time.Now().Add(d); time.Now().Before(end); {
		if r.over() {
			return true
		}
		select {
		case <-r.p.t.Context().Done():
			return true
		case <-time.After(50 * time.Millisecond):
		}
	}
	return false
}
