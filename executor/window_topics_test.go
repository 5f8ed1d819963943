package executor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/simkafka"
	"drain/runbooks"
)

// A window of a minute, a drain that needs several of them, and topics that come
// and go on the drained broker before, within and between them: all that is there
// at the end is moved, in a window, and the broker stopped once.
func TestTopicsThatComeAndGoBetweenWindowsAreMovedInTheNext(t *testing.T) {
	t.Parallel()
	for _, end := range []runbooks.WindowEnd{runbooks.Finish, runbooks.Cancel} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			s := incident() // one after the other both logs do not fit into a minute, and each of them does
			s.Topics[0].Partitions[0].Bytes, s.Topics[0].Partitions[3].Bytes = 300_000_000, 120_000_000
			simulate(t, s, plainRunbook, func(r *rig) { r.comeAndGo(end) })
		})
	}
}

func (r *rig) comeAndGo(end runbooks.WindowEnd) {
	r.rb.Cordon = "off"
	r.rb.Window, r.rb.WindowEnd = fromOneToOneMinutePastOne(), end
	r.rb.Throttle.BytesPerSec, r.rb.Deadline = 6_000_000, 100*time.Hour
	r.rb.AcceptRisks = []string{"throttle-too-long"}
	const open = time.Hour
	for name, comes := range map[string]time.Duration{
		"before": open / 2, "within": open + 5*time.Second, "short": open + 10*time.Second, "between": 5 * time.Hour,
	} {
		time.AfterFunc(comes, func() { r.create(name) })
	}
	gone := map[string]time.Duration{"short": open + 20*time.Second, "between": 7 * time.Hour}
	for name, goes := range gone {
		time.AfterFunc(goes, func() {
			if err := r.sim.DeleteTopic(name); err != nil {
				r.Error(err)
			}
		})
	}
	if _, err := r.run(); err != nil {
		r.Fatal(err)
	}
	for _, topic := range r.sim.State().Topics {
		for _, p := range topic.Partitions {
			if holds(p, 1) || gone[topic.Name] > 0 {
				r.Errorf("%s-%d is on %v", topic.Name, p.Number, p.Replicas)
			}
		}
	}
	if n := r.runner.stops(); n != 1 || countRecords(r, KindWindow) < 1 || !r.said(EventWait, "opens at 2000-01-02T01:00:00Z") {
		r.Errorf("%d stops, after %d windows\n%s", n, countRecords(r, KindWindow), strings.Join(r.texts(EventWait), "\n"))
	}
	r.startedIn(*r.rb.Window)
}

// create makes a topic with a replica on the drained broker.
func (r *rig) create(name string) {
	err := r.sim.CreateTopic(simkafka.Topic{Name: name, Partitions: []simkafka.Partition{{Replicas: []int32{1, 3}, Bytes: 20 << 20}}})
	if err != nil {
		r.Error(err)
	}
}

// startedIn fails the test for each move off broker 1 that was requested while the
// window was closed.
func (r *rig) startedIn(w runbooks.Window) {
	r.Helper()
	for _, call := range r.sim.Requests() {
		req, moves := call.Request.(*kmsg.AlterPartitionAssignmentsRequest)
		if !moves || w.Open(call.At) {
			continue
		}
		for _, topic := range req.Topics {
			for _, p := range topic.Partitions {
				if p.Replicas != nil && !slices.Contains(p.Replicas, 1) {
					r.Errorf("%s-%d was sent to %v at %v", topic.Topic, p.Partition, p.Replicas, call.At.Format(time.DateTime))
				}
			}
		}
	}
}
