package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/internal/kafkatest"
)

// TestALiveRunIsReached throttles, cancels and approves drains of a real broker
// from another process, and lets one run into its deadline. None of them stops
// the broker but the one that is approved, which comes last.
func TestALiveRunIsReached(t *testing.T) {
	t.Parallel()
	c := startSmall(t)
	for i, live := range []struct {
		name string
		of   func(*testing.T, *kafkatest.Cluster, kafkatest.State)
	}{
		{"cancel gives everything back and ends with 130", cancelled},
		{"a deadline ends with 5 and clean settings", pastDeadline},
		{"throttle is the rate within a look, and given back", throttled},
	} {
		topics := giveReplicas(c, i)
		if !t.Run(live.name, func(t *testing.T) { live.of(t, c, c.Describe()) }) {
			return
		}
		deleteTopics(t, c, topics)
	}
}

// copying starts a drain and returns once bytes are copied.
func copying(t *testing.T, p *place, args ...string) *running {
	t.Helper()
	r := p.start(append([]string{"run", "--yes", "--output", "json"}, args...)...)
	eventually(t, killLimit, "the copy to begin", func() bool {
		return r.saw(func(ev event) bool {
			return ev.Event == "progress" && ev.Progress.InFlight > 0 && ev.Progress.Bytes > 0
		})
	})
	return r
}

// saw says that the run has told such an event.
func (r *running) saw(is func(event) bool) bool {
	for _, ev := range eventsOf(r.out.String()) {
		if is(ev) {
			return true
		}
	}
	return false
}

func cancelled(t *testing.T, c *kafkatest.Cluster, before kafkatest.State) {
	p := newPlace(t)
	runbook := p.runbook(slowStopRunbook(t, c))
	r := copying(t, p, runbook)
	asked := p.drain("cancel", runbook)
	asked.want(t, 0)
	if !strings.Contains(asked.stdout, "ends with 130") {
		t.Errorf("cancel says %v", asked)
	}
	r.wait(killLimit).want(t, 130)
	cameBack(t, before, c.Describe())
	if status := p.drain("status", runbook); status.exit != 0 || !strings.Contains(status.stdout, "cancelled") {
		t.Errorf("status after a cancel: %v", status)
	}
}

// cameBack wants nothing in flight, the settings as before, and every replica
// list as it was, to the order, or one of a move that had arrived.
func cameBack(t *testing.T, before, after kafkatest.State) {
	t.Helper()
	sameSettingsAs(t, before, after)
	for name, topic := range before.Topics {
		for n, was := range topic.Partitions {
			is := after.Topics[name].Partitions[n]
			arrived := len(is.Replicas) == len(was.Replicas) && !slices.Contains(is.Replicas, 1)
			if len(is.Adding)+len(is.Removing) > 0 || !arrived && !slices.Equal(is.Replicas, was.Replicas) {
				t.Errorf("%s-%d is %+v, was %+v", name, n, is, was)
			}
		}
	}
}

func pastDeadline(t *testing.T, c *kafkatest.Cluster, before kafkatest.State) {
	p := newPlace(t)
	r := p.drain("run", p.runbook(slowStopRunbook(t, c)), "--yes", "--deadline", "4s", "--accept-risk", "throttle-too-long")
	r.want(t, 5)
	if !strings.Contains(r.stderr, "deadline") || !strings.Contains(r.stderr, "drain run") {
		t.Errorf("want the deadline and the way on told, got %v", r)
	}
	settled(t, c) // what was in flight goes on, under its throttle
	p.drain("cleanup", p.runbook(slowStopRunbook(t, c)), "--yes").want(t, 0)
	sameSettingsAs(t, before, c.Describe())
	if runs := c.StopRuns(1); runs > 0 {
		t.Errorf("past its deadline it stopped the broker %d times", runs)
	}
}

func throttled(t *testing.T, c *kafkatest.Cluster, before kafkatest.State) {
	c.CreateTopic("more", map[int32][]int32{0: {1}, 1: {1}}, nil)
	c.Fill("more", 12e6)
	p := newPlace(t)
	steps := "steps: [check, cordon, move, {approve: \"is the weather fine?\"}, verify, stop, confirm]\n"
	runbook := p.runbook(slowStopRunbook(t, c) + steps)
	r := copying(t, p, runbook)
	p.drain("throttle", runbook, "4MB/s").want(t, 0)
	eventually(t, 3*time.Second, "4 MB/s on broker 1", func() bool {
		return c.Describe().Configs["broker 1"]["leader.replication.throttled.rate"] == "4000000"
	})
	approved(t, p, r, runbook)
	judgeDrained(t, c, before)
	if text := p.journal(); !strings.Contains(text, `"kind":"throttle"`) || !strings.Contains(text, `"how":"drain approve"`) {
		t.Errorf("the journal does not tell who throttled and who approved:\n%s", text)
	}
}

// approved answers a run's question from another shell: not before it is asked.
func approved(t *testing.T, p *place, r *running, runbook string) {
	t.Helper()
	eventually(t, killLimit, "the question", func() bool { return r.saw(func(ev event) bool { return ev.Event == "wait" }) })
	if r.saw(func(ev event) bool { return ev.Step == "stop" }) {
		t.Error("it went on to the stop without an answer")
	}
	p.drain("approve", runbook).want(t, 0)
	r.wait(2*time.Minute).want(t, 0)
}

// settled waits until nothing is in flight and everything in sync.
func settled(t *testing.T, c *kafkatest.Cluster) {
	t.Helper()
	_, err := c.WaitState(t.Context(), "nothing in flight", func(s kafkatest.State) error {
		if flying := s.Where(func(p kafkatest.Partition) bool { return len(p.Adding)+len(p.Removing) > 0 }); len(flying) > 0 {
			return fmt.Errorf("in flight: %v", flying)
		}
		return nil
	})
	if err == nil {
		err = c.WaitInSync(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sameSettingsAs fails the test for each setting that is not as before. Topics
// that are gone took theirs along.
func sameSettingsAs(t *testing.T, before, after kafkatest.State) {
	t.Helper()
	for owner, was := range before.Configs {
		name, isTopic := strings.CutPrefix(owner, "topic ")
		if _, there := after.Topics[name]; isTopic && !there {
			continue
		}
		if is := after.Configs[owner]; !sameSettings(is, was) {
			t.Errorf("settings of %s: %v, were %v", owner, is, was)
		}
	}
	for owner, is := range after.Configs {
		if _, known := before.Configs[owner]; !known && len(is) > 0 {
			t.Errorf("settings of %s: %v, were none", owner, is)
		}
	}
}

// TestAClosedWindowIsWaitedFor starts a drain when its window has just closed:
// it looks, asks nothing of the cluster and waits; an interrupt ends it.
func TestAClosedWindowIsWaitedFor(t *testing.T) {
	t.Parallel()
	p, c := newPlace(t), startLogCluster(t)
	p.env = []string{"DRAIN_SIMULATED=" + c.ControlAddr()}
	now := time.Now().UTC()
	from, to := now.Add(-3*time.Hour), now.Add(-2*time.Hour)
	text := twinRunbook(c) + fmt.Sprintf("window: {hours: %q, timeZone: UTC}\ncordon: off\n", from.Format("15:00")+"-"+to.Format("15:00"))
	r := p.start("run", p.runbook(text), "--yes", "--output", "json")
	eventually(t, killLimit, "it to wait for the window", func() bool { return r.saw(func(ev event) bool { return ev.Event == "wait" }) })
	var opens time.Time
	for _, ev := range eventsOf(r.out.String()) {
		if ev.Event == "wait" {
			opens = ev.Until
		}
	}
	if want := time.Date(from.Year(), from.Month(), from.Day()+1, from.Hour(), 0, 0, 0, time.UTC); !opens.Equal(want) {
		t.Errorf("it waits until %v, want %v", opens, want)
	}
	r.signal(os.Interrupt)
	r.wait(killLimit).want(t, 130)
	if calls := c.Requests(); len(calls) > 0 {
		t.Errorf("outside of its window it sent %v", calls)
	}
}
