package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"drain/internal/simkafka"
	"drain/plan"
	"drain/runbooks"
)

// maintained drains broker 1, and starts it again.
func (r *rig) maintained() {
	r.Helper()
	if _, err := r.run(); err != nil {
		r.Fatal(err)
	}
	r.sim.StartBroker(1)
	r.pause(time.Minute)
}

// restore is `drain restore`.
func (r *rig) restore(ctx context.Context) (Done, error) {
	r.Helper()
	client := r.dial()
	defer client.Close()
	r.death = client.Close
	done, _, err := Restore(ctx, r.config(client))
	return done, err
}

func TestARestorePutsReplicasLeadersAndCordonBack(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		_, err := r.restore(r.Context())
		r.wants(err, ErrRefused, "broker 1 is not alive")
		r.sim.StartBroker(1)
		r.pause(time.Minute)
		done, err := r.restore(r.Context())
		if err != nil || len(done.Owed)+len(done.Cordoned) > 0 {
			r.Fatalf("%v, done %+v", err, done)
		}
		r.untouched(before)
		for i, topic := range r.sim.State().Topics {
			for k, p := range topic.Partitions {
				if want := before.Topics[i].Partitions[k]; *p.Leader != *want.Leader {
					r.Errorf("%s-%d is led by %d, and was by %d", topic.Name, p.Number, *p.Leader, *want.Leader)
				}
			}
		}
		// Again there is nothing to do, and a drain is a new run.
		if _, err := r.restore(r.Context()); err != nil || !r.said(EventSkip, "nothing to restore") {
			r.Errorf("again: %v", err)
		}
		if _, err := r.run(); err != nil || r.runner.stops() != 2 {
			r.Errorf("a drain after it: %v, %d stops", err, r.runner.stops())
		}
	})
}

func TestARestoreSkipsWhatHasChangedAndGoesOnWhenInterrupted(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.maintained()
		moved := plan.TopicPartition{Topic: "log", Partition: 3}
		if err := r.sim.Reassign(moved, []int32{3}); err != nil {
			r.Fatal(err)
		}
		r.pause(time.Minute)
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(10*time.Second, cancel)
		_, err := r.restore(ctx)
		r.wants(err, ErrInterrupted)
		if !r.said(EventLast, "drain restore") {
			r.Errorf("last words %q", r.texts(EventLast))
		}
		_, err = r.run()
		r.wants(err, ErrJournal, "a restore is open")
		if st, err := r.status(); err != nil || len(st.Steps) > 0 || st.Next != restoring {
			r.Errorf("status of a restore: %+v, %v", st, err)
		}
		if _, err := r.restore(r.Context()); err != nil {
			r.Fatal(err)
		}
		r.plansAddUp() // what was in flight had no bytes
		if !r.said(EventWarn, "log-3 is not put back") {
			r.Errorf("said %q", r.texts(EventWarn))
		}
		want := assignment(before)
		for i, l := range want {
			if strings.HasPrefix(l, "log-3 ") {
				want[i] = strings.Replace(l, "[1]", "[3]", 1)
			}
		}
		if got := assignment(r.sim.State()); !slices.Equal(got, want) {
			r.Errorf("the cluster is\n%v\nwant\n%v", got, want)
		}
	})
}

// The deadline of a runbook was written into the journal of a restore, which took
// as long as it liked.
func TestADeadlineEndsARestoreThatCanBeGoneOnWith(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.maintained()
		r.rb.Deadline = 20 * time.Second
		began := time.Now()
		done, err := r.restore(r.Context())
		r.wants(err, ErrDeadline)
		if took := time.Since(began); errors.Is(err, ErrInterrupted) || !done.Changed || took < r.rb.Deadline || took > r.rb.Deadline+settleWithin {
			r.Errorf("%v after %v, done %+v", err, took, done)
		}
		if !r.said(EventLast, "resume with `drain restore ") {
			r.Errorf("last words %q", r.texts(EventLast))
		}
		r.rb.Deadline = 0
		if _, err := r.restore(r.Context()); err != nil {
			r.Fatal(err)
		}
		r.untouched(before)
	})
}

// A restore began its moves at any hour, whatever the runbook says of hours, and had
// no deadline.
func TestARestoreKeepsToTheWindowAndTheDeadline(t *testing.T) {
	t.Parallel()
	for end, bytesPerSec := range map[runbooks.WindowEnd]int64{runbooks.Finish: 4_000_000, runbooks.Cancel: 12_000_000} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			simulate(t, slow(), plainRunbook, func(r *rig) {
				before := r.sim.State()
				r.maintained()
				r.rb.Window, r.rb.WindowEnd, r.rb.Throttle.BytesPerSec = fromOneToOneMinutePastOne(), end, bytesPerSec
				r.rb.Deadline = 30 * time.Minute
				_, err := r.restore(r.Context())
				r.wants(err, ErrDeadline)
				r.rb.Deadline = 0
				var late int
				time.AfterFunc(time.Until(time.Date(2000, 1, 1, 2, 0, 0, 0, time.UTC)), func() { late = inFlight(r.sim.State()) })
				if _, err := r.restore(r.Context()); err != nil {
					r.Fatal(err)
				}
				if !r.said(EventWait, "opens at 2000-01-01T01:00:00Z") || !r.said(EventWait, "opens at 2000-01-02T01:00:00Z") || late > 0 {
					r.Errorf("%d moves in flight after the window; waits %q", late, r.texts(EventWait))
				}
				r.untouched(before)
			})
		})
	}
}

// A move that somebody else overrode while the broker was drained stayed on the
// list of the drain's own: the restore asked for it again, and ended with 5
// however often it was run.
func TestARestoreLeavesAMoveThatSomebodyElseTookOver(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		taken := plan.TopicPartition{Topic: "log", Partition: 0}
		var once sync.Once
		r.onEvent = func(ev Event) {
			if ev.Move == nil || ev.Move.Progress == nil || len(ev.Move.Progress.InFlight) == 0 {
				return
			}
			once.Do(func() {
				to := int32(2)
				if slices.Contains(replicasOf(r.sim.State(), taken), to) {
					to = 3
				}
				if err := r.sim.Reassign(taken, []int32{to}); err != nil {
					r.Error(err)
				}
			})
		}
		if _, err := r.run(); err == nil || !strings.Contains(err.Error(), "log-0") {
			r.Fatalf("got %v, want log-0 told", err)
		}
		r.pause(10 * time.Minute)
		r.maintained()
		there := replicasOf(r.sim.State(), taken)
		if _, err := r.restore(r.Context()); err != nil {
			r.Fatal(err)
		}
		if got := replicasOf(r.sim.State(), taken); !slices.Equal(got, there) || slices.Contains(got, 1) {
			r.Errorf("log-0 is on %v, and was on %v", got, there)
		}
		if got, want := replicasOf(r.sim.State(), plan.TopicPartition{Topic: "log", Partition: 3}), []int32{1}; !slices.Equal(got, want) {
			r.Errorf("log-3 is on %v, want %v", got, want)
		}
		told := r.texts(EventPlan)
		if got, want := told[len(told)-1], "5 moves, "+plan.FormatBytes(600<<20); got != want {
			r.Errorf("the way back is told as %q, want %q", got, want)
		}
	})
}

// replicasOf is where a partition is, those of a move in flight included.
func replicasOf(s simkafka.Spec, at plan.TopicPartition) []int32 {
	for _, t := range s.Topics {
		for _, p := range t.Partitions {
			if t.Name == at.Topic && p.Number == at.Partition {
				return p.Replicas
			}
		}
	}
	return nil
}

func TestACrashAfterAnyRecordOfARestoreEndsLikeNone(t *testing.T) {
	t.Parallel()
	for n, crashed := 1, true; crashed && !t.Failed(); n += stride(3) {
		t.Run(fmt.Sprintf("record %d", n), func(t *testing.T) {
			simulate(t, incident(), plainRunbook, func(r *rig) {
				before := r.sim.State()
				r.maintained()
				r.dieAfter(n)
				_, err := r.restore(r.Context())
				r.disk = nil
				if crashed = err != nil; crashed {
					r.wants(err, errDied)
					if _, err := r.restore(r.Context()); err != nil {
						r.Fatal(err)
					}
				}
				r.untouched(before)
			})
		})
	}
}
