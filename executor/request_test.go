package executor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/internal/simkafka"
	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

func (r *rig) send(req Request) {
	r.Helper()
	req.Who = "somebody"
	if err := Send(r.files(), req); err != nil {
		r.Error(err)
	}
}

func TestACancelReachesALiveRun(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		time.AfterFunc(20*time.Second, func() {
			cfg := r.config(nil) // a live run is asked, not the cluster
			cfg.Who = "somebody"
			if done, asked, err := Cancel(r.Context(), cfg); err != nil || !asked || done.Changed || len(done.Owed) == 0 {
				r.Errorf("asked %t, done %+v, %v; want the throttles owed as yet", asked, done, err)
			}
		})
		done, err := r.run()
		r.wants(err, ErrCancelled, "somebody")
		if !r.said(EventChange, "a live run was asked to cancel its moves") {
			r.Errorf("said %q", r.texts(EventChange)) // with --output json nothing told it
		}
		if !done.Changed || r.runner.stops() > 0 || len(done.Owed) > 0 {
			r.Errorf("done %+v", done)
		}
		for i, p := range r.sim.State().Topics[0].Partitions {
			was := before.Topics[0].Partitions[i]
			if len(p.Adding) > 0 || len(p.Replicas) != len(was.Replicas) {
				r.Errorf("log-%d is still on the way: %v adding %v", i, p.Replicas, p.Adding)
			}
		}
		r.drained(before) // no setting is left
		if !ended(r.records()) {
			r.Error("the journal is open")
		}
	})
}

// A cancel that came while the stop command ran closed the journal, and the next
// run issued the stop a second time beside the first.
func TestACancelDuringTheStopDoesNotHideItFromTheNextRun(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.takes = 20 * time.Second
		r.runner.stop = func(b int32) {
			time.AfterFunc(5*time.Second, func() { r.send(Request{Kind: AskCancel}) })
			time.AfterFunc(15*time.Second, func() { r.sim.Shutdown(b) })
		}
		done, err := r.run()
		r.wants(err, ErrCancelled, "the stop of broker 1 was begun and not seen to its end; `drain run /runbooks/broker-1.yaml` sees to it")
		if !done.StopBegun || ended(r.records()) || !r.said(EventLast, "resume with `drain run") {
			r.Errorf("done %+v, journal ended %t, last %q", done, ended(r.records()), r.texts(EventLast))
		}
		if done, err = r.run(); err != nil || done.StopBegun || r.runner.stops() != 1 {
			r.Errorf("again: %v, done %+v, %d stops", err, done, r.runner.stops())
		}
	})
}

// It was told that every setting is given back, and the broker stays cordoned.
func TestACancelInTheWatchTellsOfTheCordonThatStays(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.stop = func(b int32) {
			r.sim.Shutdown(b)
			time.AfterFunc(15*time.Second, func() { r.send(Request{Kind: AskCancel}) })
		}
		done, err := r.run()
		r.wants(err, ErrCancelled)
		if !done.Watching || !ended(r.records()) || !r.said(EventLast, "given back; new replicas are kept off until `drain restore") {
			r.Errorf("done %+v, ended %t, last %q", done, ended(r.records()), r.texts(EventLast))
		}
	})
}

func TestAThrottleReachesALiveRunAndTheNext(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		time.AfterFunc(10*time.Second, func() { r.send(Request{Kind: AskThrottle, BytesPerSec: 40_000_000}) })
		var rates []string
		time.AfterFunc(14*time.Second, func() {
			for _, b := range r.sim.State().Brokers {
				if v, ok := b.Configs[reassign.FollowerRate]; ok {
					rates = append(rates, v)
				}
			}
		})
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if len(rates) == 0 || slices.ContainsFunc(rates, func(v string) bool { return v != "40000000" }) {
			r.Errorf("4 s after it was asked for, the rates are %v", rates)
		}
	})
	// Sent while nobody is alive it is for the next run; a cancel is not.
	simulate(t, slow(), plainRunbook, func(r *rig) {
		r.send(Request{Kind: AskThrottle, BytesPerSec: 40_000_000})
		r.send(Request{Kind: AskCancel})
		r.send(Request{Kind: AskApprove})
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if !slices.ContainsFunc(r.records(), func(rec Record) bool { return rec.Kind == KindThrottle && *rec.Throttle == 40_000_000 }) {
			r.Error("the throttle is not in the journal")
		}
	})
}

// A cancel that came while a restore asked its question was dropped as one for the
// run before, and the restore went on. A throttle that came then was lost.
func TestARestoreThatAsksIsReached(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		ask  confirms // meanwhile
		want error    // nil: it is carried out, at the rate that was asked for
	}{
		{"cancelled, and nobody answers", func(ctx context.Context, r *rig) (Answer, error) {
			r.send(Request{Kind: AskCancel})
			<-ctx.Done()
			return Answer{}, context.Cause(ctx)
		}, ErrCancelled},
		{"cancelled, and the answer is yes", func(_ context.Context, r *rig) (Answer, error) {
			r.send(Request{Kind: AskCancel})
			return Answer{Who: "person"}, nil
		}, ErrCancelled},
		{"a throttle", func(_ context.Context, r *rig) (Answer, error) {
			r.send(Request{Kind: AskThrottle, BytesPerSec: 40_000_000})
			r.send(Request{Kind: AskApprove})
			r.pause(time.Minute)
			return Answer{Who: "person"}, nil
		}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			simulate(t, incident(), plainRunbook, func(r *rig) {
				before := r.sim.State()
				if _, err := r.run(); err != nil {
					r.Fatal(err)
				}
				r.sim.StartBroker(1)
				r.pause(time.Minute)
				r.send(Request{Kind: AskCancel}) // for the run, which is over
				there := fmt.Sprint(assignment(r.sim.State()))
				client := r.dial()
				defer client.Close()
				cfg := r.config(client)
				cfg.Yes, cfg.Confirmer = false, asking{r, tc.ask}
				_, _, err := Restore(r.Context(), cfg)
				if !errors.Is(err, tc.want) {
					r.Fatalf("got %v, want %v", err, tc.want)
				}
				if tc.want == nil {
					if rate := fold(r.records()).throttle; rate == nil || *rate != 40_000_000 {
						r.Errorf("the rate is %v", rate)
					}
					r.untouched(before)
					return
				}
				if now := fmt.Sprint(assignment(r.sim.State())); now != there {
					r.Errorf("the cluster is\n%s\nand was\n%s", now, there)
				}
				if _, err := r.restore(r.Context()); err != nil {
					r.Fatal(err)
				}
				r.untouched(before)
			})
		})
	}
}

// Whoever pressed Ctrl-C and cancelled the run from another shell, before that had
// given its settings back, was told that it would take its moves back. It did not.
func TestACancelReachesARunThatGivesBack(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		ctx, interrupt := context.WithCancelCause(r.Context())
		r.onEvent = func(ev Event) {
			if context.Cause(ctx) != nil && ev.Kind == EventMove && ev.Move.Kind == reassign.Kept {
				r.onEvent = nil
				r.send(Request{Kind: AskCancel})
			}
		}
		time.AfterFunc(10*time.Second, func() { interrupt(ErrInterrupted) })
		done, err := r.runWith(ctx)
		r.wants(err, ErrCancelled, "somebody")
		if len(done.Owed) > 0 || !ended(r.records()) || !r.said(EventLast, "cancelled: what was in flight is back where it was") {
			r.Errorf("done %+v, last words %q", done, r.texts(EventLast))
		}
		r.untouched(before)
	})
}

// confirms is what happens while a person is asked.
type confirms func(context.Context, *rig) (Answer, error)

type asking struct {
	rig *rig
	ask confirms
}

func (a asking) Ask(ctx context.Context, _ string) (Answer, error) { return a.ask(ctx, a.rig) }

// From the lock on a run looks alive. What was asked before it had looked at the
// cluster was dropped.
func TestACancelReachesARunThatHasOnlyJustBegun(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		client := r.dial()
		defer client.Close()
		cfg := r.config(client)
		cfg.Observer = cancelling{cfg.Observer, r}
		_, err := Run(r.Context(), cfg)
		r.wants(err, ErrCancelled, "somebody")
		if !ended(r.records()) {
			r.Error("the journal is open")
		}
		r.untouched(before)
	})
}

// cancelling is an observer before whose pictures the run is cancelled.
type cancelling struct {
	Observer
	rig *rig
}

func (c cancelling) Snapshot(ctx context.Context, s plan.Scope) (plan.Cluster, error) {
	c.rig.send(Request{Kind: AskCancel})
	return c.Observer.Snapshot(ctx, s)
}

func withApproval() []runbooks.Step {
	return slices.Insert(runbooks.DefaultSteps(), 4, runbooks.Step{Kind: runbooks.Approve, Approve: "Is the night shift told?"})
}

func (r *rig) awaits(want bool) {
	r.Helper()
	if got, err := Awaits(r.files()); err != nil || got != want {
		r.Errorf("awaits an approval: %t, %v; want %t", got, err, want)
	}
}

func TestAnApprovalFromAnotherShellIsWaitedFor(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Steps = withApproval()
		r.send(Request{Kind: AskApprove}) // before it was asked for: no answer
		r.awaits(false)
		time.AfterFunc(time.Hour, func() {
			if r.runner.stops() > 0 {
				r.Error("the stop was issued without approval")
			}
			r.awaits(true)
			r.send(Request{Kind: AskApprove})
		})
		began := time.Now()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.awaits(false)
		if time.Since(began) < time.Hour || !r.said(EventWait, "Is the night shift told?") || !r.said(EventDone, "approved by somebody (drain approve)") {
			r.Errorf("after %v, said %q", time.Since(began), r.texts(EventDone))
		}
	})
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Steps = withApproval()
		r.yes, r.asked.yes = false, []bool{true, false}
		_, err := r.run()
		r.wants(err, ErrInterrupted)
		if !errors.Is(err, ErrDeclined) || r.runner.stops() > 0 {
			r.Errorf("%v, %d stops", err, r.runner.stops())
		}
	})
}

// A process that died in the step waits no more, and the next not yet.
func TestTheQuestionOfAnEarlierProcessIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Steps = withApproval()
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(time.Hour, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		asked := false
		r.onEvent = func(ev Event) {
			if asked = asked || ev.Step == string(runbooks.Approve); !asked && ev.Kind != EventResume {
				r.awaits(false)
			}
		}
		time.AfterFunc(time.Hour, func() {
			r.awaits(true)
			r.send(Request{Kind: AskApprove})
		})
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
	})
}

func TestALineThatIsNoRequestDoesNotHoldTheOthersUp(t *testing.T) {
	t.Parallel()
	files := filesIn(t)
	if err := Send(files, Request{Kind: AskCancel, Who: "a"}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(files.Requests(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("please stop\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Send(files, Request{Kind: AskThrottle, BytesPerSec: 5, Who: "b"}); err != nil {
		t.Fatal(err)
	}
	got, err := receive(files, allKinds...)
	if err == nil || len(got) != 2 || got[0].Who != "a" || got[1].BytesPerSec != 5 {
		t.Errorf("got %+v, %v; want both requests and an error about the third line", got, err)
	}
	if again, err := receive(files, allKinds...); len(again) > 0 || err != nil {
		t.Errorf("taken twice: %+v, %v", again, err)
	}
}

func TestRunsOnOneBrokerExcludeEachOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, err := lockBrokers(dir, "c/1", []int32{1, 2}, "/one.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockBrokers(dir, "c/1", []int32{3, 2}, "/two.yaml"); !errors.Is(err, ErrJournal) {
		t.Errorf("broker 2 is locked: got %v, want ErrJournal", err)
	}
	// None is kept after a failure, and another cluster is another matter.
	three, err := lockBrokers(dir, "c/1", []int32{3}, "/three.yaml")
	if err != nil {
		t.Fatal(err)
	}
	other, err := lockBrokers(dir, "d", []int32{1}, "/other.yaml")
	if err != nil {
		t.Fatal(err)
	}
	seen, err := three.others()
	want := []holder{{1, "/one.yaml", os.Getpid()}, {2, "/one.yaml", os.Getpid()}}
	if err != nil || !slices.Equal(seen, want) {
		t.Errorf("got %+v, %v; want %+v", seen, err, want)
	}
	if err := errors.Join(one.release(), other.release()); err != nil {
		t.Fatal(err)
	}
	if seen, err := three.others(); len(seen) > 0 || err != nil {
		t.Errorf("after their end: %+v, %v", seen, err)
	}
	if err := three.release(); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyOneRunOfAHostStopsABrokerAtATime(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		other := &run{cfg: Config{Runbook: r.rb, Sink: r}, locks: &hostLocks{dir: r.dir, cluster: "rig"}, log: slog.New(slog.DiscardHandler)}
		if err := other.takeTurn(r.Context()); err != nil {
			r.Fatal(err)
		}
		time.AfterFunc(time.Hour, func() {
			if r.runner.stops() > 0 {
				r.Error("a broker was stopped while another run was at it")
			}
			other.yieldTurn()
		})
		if _, err := r.run(); err != nil || r.runner.stops() != 1 || !r.said(EventWait, "another run on this host") {
			r.Errorf("%v, %d stops, waits %q", err, r.runner.stops(), r.texts(EventWait))
		}
	})
}

func TestLeftoverThrottlesAreToldAndKept(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		rate := "5000000"
		if err := r.sim.SetBrokerConfig(2, reassign.LeaderRate, &rate); err != nil {
			r.Fatal(err)
		}
		before := r.sim.State()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
		found := false
		for _, ev := range r.events {
			for _, f := range ev.Findings {
				found = found || f.Risk == "leftover-throttle" && f.Broker == 2
			}
		}
		if !found {
			r.Error("nothing was said of it")
		}
	})
}

// What another run on this host drains is no destination, and it is said.
func TestABrokerThatAnotherRunDrainsReceivesNothing(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		other, err := lockBrokers(r.dir, "rig", []int32{5}, "/other.yaml")
		if err != nil {
			r.Fatal(err)
		}
		defer other.release()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		for _, topic := range r.sim.State().Topics {
			for _, p := range topic.Partitions {
				if holds(p, 5) {
					r.Errorf("%s-%d went to broker 5", topic.Name, p.Number)
				}
			}
		}
		found := false
		for _, ev := range r.events {
			for _, f := range ev.Findings {
				found = found || f.Risk == "another-drain" && f.Broker == 5
			}
		}
		if !found {
			r.Error("nothing was said of the other drain")
		}
	})
}

// sentOf is how many requests of a kind that change something were sent.
func sentOf(r *rig, key int16) int {
	n := 0
	for _, c := range r.sim.Requests() {
		if c.Request.Key() == key {
			n++
		}
	}
	return n
}

func inFlight(s simkafka.Spec) int {
	n := 0
	for _, t := range s.Topics {
		for _, p := range t.Partitions {
			if len(p.Adding)+len(p.Removing) > 0 {
				n++
			}
		}
	}
	return n
}

func TestStatusTellsWhereARunStands(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		if s, err := ReadStatus(r.Context(), Config{Runbook: r.rb, Path: "/runbooks/broker-1.yaml", StateDir: r.dir}); err != nil || s.Found {
			r.Errorf("before any run: %+v, %v", s, err)
		}
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(10*time.Second, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		s, err := r.status()
		if err != nil {
			r.Fatal(err)
		}
		if !s.Found || s.Alive || s.Ended != "" || s.Next != runbooks.Check || s.Moves != 6 || len(s.InFlight) == 0 || len(s.Owed) == 0 {
			r.Errorf("after an interrupt: %+v", s)
		}
		if got := s.Steps[2]; got.Kind != runbooks.Move || got.State != "begun" {
			r.Errorf("the move is %+v", got)
		}
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		s, err = r.status()
		if err != nil || s.Ended != "done" || s.MovesDone != s.Moves || len(s.InFlight) > 0 || len(s.Differences) > 0 || !slices.Equal(s.Done.Stopped, []int32{1}) {
			r.Errorf("after the end: %+v, %v", s, err)
		}
		r.sim.StartBroker(1)
		r.pause(time.Minute)
		s, err = r.status()
		if want := []string{"broker 1 was stopped, and is alive"}; err != nil || !slices.Equal(s.Differences, want) {
			r.Errorf("differences %q, %v; want %q", s.Differences, err, want)
		}
	})
}

// A login without the rights to look hid the journal, which needs none.
func TestStatusSaysWhatOfTheClusterCouldNotBeRead(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(10*time.Second, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		client := r.dial()
		defer client.Close()
		cfg := r.config(client)
		blind := &deaf{Observer: cfg.Observer}
		blind.how.Store(true)
		cfg.Observer = blind
		s, err := ReadStatus(r.Context(), cfg)
		if err != nil || !s.Found || s.Moves != 6 || len(s.Owed) == 0 || !slices.Equal(s.Unread, []string{"the cluster: " + errDeaf.Error()}) {
			r.Errorf("nothing can be read: %+v, %v", s, err)
		}
		if err := r.sim.HideTopic("pay", true); err != nil {
			r.Fatal(err)
		}
		s, err = r.status()
		if err != nil || len(s.Unread) == 0 || !strings.Contains(s.Unread[0], "hidden-topic: ") {
			r.Errorf("a topic is hidden: %q, %v", s.Unread, err)
		}
		if _, err := ReadStatus(ctx, cfg); !errors.Is(err, errDeaf) {
			r.Errorf("interrupted: %v", err)
		}
	})
}
