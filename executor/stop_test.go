package executor

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/executor/child"
	"drain/internal/simkafka"
	"drain/plan"
	"drain/runbooks"
)

// The stop script finds no process and says so. The drained state is
// kept: the next run goes straight to the stop.
func TestAStopThatFailsIsToldAndTriedAgainByTheNextRun(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.runner.stop = func(int32) {}
		r.runner.exit = child.Exit{Code: 1}
		done, err := r.run()
		r.wants(err, ErrStop, "exited with code 1", "broker 1 is still alive")
		if !done.StopBegun || len(done.Stopped) > 0 {
			r.Errorf("done %+v", done)
		}
		moves := len(r.sim.Requests())
		r.runner.exit, r.runner.stop = child.Exit{}, r.sim.Shutdown
		done, err = r.run()
		if err != nil || done.StopBegun || r.runner.stops() != 2 {
			r.Fatalf("again: %v, done %+v, %d stops", err, done, r.runner.stops())
		}
		for _, call := range r.sim.Requests()[moves:] {
			if call.Request.Key() == 45 { // AlterPartitionReassignments
				r.Error("it moved replicas again")
			}
		}
		r.drained(before, 1)
	})
}

// What no journal holds is not issued: nobody could tell it from what was never
// begun.
func TestAStopThatCannotBeWrittenDownIsNotIssued(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.disk = func(name string, flag int, perm os.FileMode) (file, error) {
			f, err := openFile(name, flag, perm)
			return &refusing{f, `"kind":"act"`}, err
		}
		done, err := r.run()
		r.wants(err, syscall.ENOSPC, "nothing new is begun")
		if r.runner.stops() > 0 || !r.sim.Running(1) || done.StopBegun || !done.Changed {
			r.Errorf("%d stops, done %+v", r.runner.stops(), done)
		}
		r.disk = nil
		if _, err := r.run(); err != nil || r.runner.stops() != 1 {
			r.Fatalf("with room again: %v, %d stops", err, r.runner.stops())
		}
		for _, rec := range r.records() {
			if rec.Kind == KindAct && (!slices.Equal(rec.Act.Argv, []string{"stop-it", "1"}) || rec.Act.Output == "") {
				r.Errorf("the journal has the stop %q, its output in %q", rec.Act.Argv, rec.Act.Output)
			}
		}
	})
}

// refusing takes every record but those that hold a text.
type refusing struct {
	file
	text string
}

func (f *refusing) Write(b []byte) (int, error) {
	if strings.Contains(string(b), f.text) {
		return 0, syscall.ENOSPC
	}
	return f.file.Write(b)
}

// Exit 0 is not enough.
func TestACommandThatStopsNobodyFails(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.stop = func(int32) {}
		began := time.Now()
		done, err := r.run()
		r.wants(err, ErrStop, "exited with code 0, but broker 1 is still alive")
		if took := time.Since(began); !done.StopBegun || took < time.Minute || took > 2*time.Minute {
			r.Errorf("done %+v after %v; stop.timeout is a minute", done, took)
		}
	})
}

// A broker that is killed is listed until its session ends. A command that took
// nearly all of its time left none for that: its broker was told to be alive while
// nobody could know.
func TestABrokerThatDiesAtTheEndOfItsTimeIsSeenToLeave(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.stop, r.runner.delay, r.runner.takes = r.sim.Crash, 59*time.Second, 59*time.Second
		done, err := r.run()
		if err != nil || !slices.Equal(done.Stopped, []int32{1}) {
			r.Errorf("got %v, done %+v", err, done)
		}
	})
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.stop, r.runner.delay = r.sim.Crash, 59*time.Second
		r.dieAt(KindChild)
		_, err := r.run()
		r.wants(err, errDied)
		r.disk = nil
		if _, err := r.run(); err != nil || r.runner.stops() != 1 {
			r.Errorf("again: %v, %d stops, want the first one only", err, r.runner.stops())
		}
	})
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.stop, r.runner.takes = func(int32) {}, 59*time.Second
		began := time.Now()
		_, err := r.run()
		r.wants(err, ErrStop, "exited with code 0, but broker 1 is still alive")
		if took := time.Since(began); took < 72*time.Second || took > 2*time.Minute {
			r.Errorf("it took %v, want 59s and 1.5 times the session timeout, beside the moves", took)
		}
	})
}

// Ssh says 255 because the host went down as asked.
func TestABadExitCodeOfAStopThatWorkedIsTold(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.exit = child.Exit{Code: 255}
		done, err := r.run()
		r.wants(err, ErrStop, "broker 1 has left", "exited with code 255", "acceptExitCodes")
		if !done.StopBegun {
			r.Errorf("done %+v", done)
		}
		done, err = r.run()
		if err != nil || r.runner.stops() != 1 || done.StopBegun {
			r.Errorf("again: %v, done %+v, %d stops, want none more", err, done, r.runner.stops())
		}
	})
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.exit = child.Exit{Code: 255}
		r.rb.Stop.AcceptExitCodes = []int{0, 255}
		if _, err := r.run(); err != nil {
			r.Errorf("an accepted code: %v", err)
		}
	})
}

// What is past its time is killed, and the broker judged by
// the others.
func TestACommandPastItsTimeIsKilled(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.stop, r.runner.takes = func(int32) {}, time.Hour
		_, err := r.run()
		r.wants(err, ErrStop, "its time was over", "still alive")
	})
}

// The stop script takes down every broker of the host.
func TestAStopThatTakesAnotherBrokerAlongIsEndedAtOnce(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.takes = time.Hour
		r.runner.stop = func(int32) { r.sim.Shutdown(1); r.sim.Shutdown(2) }
		began := time.Now()
		done, err := r.run()
		r.wants(err, ErrStop, "another broker left the cluster: broker 2", "was killed with its process group")
		if !done.StopBegun || time.Since(began) > time.Minute {
			r.Errorf("done %+v after %v", done, time.Since(began))
		}
	})
}

// The cluster is watched on answers from after the stop, for a while.
func TestTheWatchAfterTheStopSeesWhatGetsWorse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		after time.Duration
		do    func(*rig)
		words []string
	}{
		{"another broker dies", 8 * time.Second, func(r *rig) { r.sim.Crash(2) }, []string{"after broker 1 was stopped", "broker 2"}},
		{"the broker is started again", 8 * time.Second, func(r *rig) { r.sim.StartBroker(1) }, []string{"broker 1 is back", "supervisor"}},
		{"a replica falls out of sync", 8 * time.Second, func(r *rig) {
			pay3, behind := plan.TopicPartition{Topic: "pay", Partition: 3}, otherReplica(r)
			if err := errors.Join(r.sim.Stall(pay3, behind, true), r.sim.Lag(pay3, behind)); err != nil {
				r.Error(err)
			}
		}, []string{"worse than proven", "pay-3"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			simulate(t, incident(), plainRunbook, func(r *rig) {
				r.runner.stop = func(broker int32) {
					r.sim.Shutdown(broker)
					time.AfterFunc(tc.after, func() { tc.do(r) })
				}
				done, err := r.run()
				r.wants(err, ErrStop, tc.words...)
				if !done.StopBegun || !slices.Equal(done.Stopped, []int32{1}) {
					r.Errorf("done %+v", done)
				}
			})
		})
	}
}

// The refusal named as its remedy to run again, which was refused likewise.
func TestABrokerThatItsSupervisorHasRestartedIsStoppedByHand(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.stop = func(broker int32) {
			r.sim.Shutdown(broker)
			time.AfterFunc(10*time.Second, func() { r.sim.StartBroker(broker) })
		}
		for range 2 {
			_, err := r.run()
			r.wants(err, ErrStop, "broker 1 is back", "disable it there, stop the broker by hand, since its command is not run twice, and run again")
		}
		r.sim.Shutdown(1)
		r.pause(20 * time.Second)
		if done, err := r.run(); err != nil || done.StopBegun || r.runner.stops() != 1 {
			r.Errorf("stopped by hand: %v, done %+v, %d stops", err, done, r.runner.stops())
		}
	})
}

// otherReplica is a replica of pay-3 that does not lead.
func otherReplica(r *rig) int32 {
	p := r.sim.State().Topics[1].Partitions[3]
	for _, id := range p.Replicas {
		if id != *p.Leader {
			return id
		}
	}
	r.Fatal("pay-3 has one replica")
	return 0
}

func TestTheWatchIsNeverShorterThanTheSessionAllows(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Confirm = time.Second
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if !r.said(EventProgress, "1.5 times the session timeout") || !r.said(EventDone, "watched for 13.5s") {
			r.Errorf("said %q", r.texts(EventDone))
		}
	})
}

// A broker that is down already is moved away from, and not stopped.
func TestABrokerThatIsDownIsNotStopped(t *testing.T) {
	t.Parallel()
	s := incident()
	s.Brokers[0].State = plan.Fenced
	s.Topics = s.Topics[1:] // its single replicas would be lost
	simulate(t, s, plainRunbook, func(r *rig) {
		before := r.sim.State()
		done, err := r.run()
		if err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
		if r.runner.stops() > 0 || !r.said(EventSkip, "broker 1 is down already") {
			r.Errorf("%d stops, said %q, done %+v", r.runner.stops(), r.texts(EventSkip), done)
		}
	})
}

func TestABrokerThatGoesDownBeforeItsStopIsNotStopped(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Stop.Probe = []string{"probe", "{broker}"}
		probes := 0
		r.runner.others = func([]string) {
			if probes++; probes == 2 { // the one before the gate
				r.sim.Crash(1)
				r.pause(15 * time.Second) // until it is fenced
			}
		}
		done, err := r.run()
		if err != nil || r.runner.stops() > 0 || !slices.Equal(done.Stopped, []int32{1}) || !r.said(EventDone, "broker 1 is down already") {
			r.Errorf("%v, %d stops, done %+v, said %q", err, r.runner.stops(), done, r.texts(EventDone))
		}
	})
}

func TestAProbeThatFailsKeepsTheStopBack(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Stop.Probe = []string{"probe", "{broker}"}
		probes := 0
		r.runner.fails = func(argv []string) bool {
			if argv[0] == "probe" {
				probes++
			}
			return probes == 2
		}
		done, err := r.run()
		r.wants(err, ErrBlocked, "probe-failed", "exited with code 1")
		if !done.Changed || done.StopBegun || r.runner.stops() > 0 {
			r.Errorf("done %+v, %d stops", done, r.runner.stops())
		}
		probes = 1 // at the check of the next run
		_, err = r.run()
		r.wants(err, ErrRefused, "probe-failed")
	})
}

// A stop that was begun by a process that died is repeated only when the first
// command is over for certain.
func TestAStopInTheBalanceIsNotRepeatedWhileItsCommandMayWork(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.stop = func(int32) {}
		r.dieAt(KindChild)
		_, err := r.run()
		r.wants(err, errDied)
		first := *r.records()[len(r.records())-1].Process
		r.runner.alive = map[child.Process]bool{first: true}
		r.disk = nil
		began := time.Now()
		r.runner.stop = func(b int32) {
			if wait := time.Since(began); wait < 50*time.Second {
				r.Errorf("repeated after %v, while the first had a minute", wait)
			}
			if r.runner.kills != 1 {
				r.Errorf("repeated with the first still running")
			}
			r.sim.Shutdown(b)
		}
		if _, err := r.run(); err != nil || r.runner.stops() != 2 {
			r.Errorf("%v, %d stops", err, r.runner.stops())
		}
	})
	// The broker leaves meanwhile: nothing is repeated.
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.delay = 40 * time.Second
		r.dieAt(KindChild)
		_, err := r.run()
		r.wants(err, errDied)
		r.disk = nil
		if _, err := r.run(); err != nil || r.runner.stops() != 1 {
			r.Errorf("%v, %d stops, want the first one only", err, r.runner.stops())
		}
	})
}

func TestAnInterruptLeavesTheStopCommandAlone(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		ctx, cancel := context.WithCancel(r.Context())
		r.runner.takes, r.runner.delay = 20*time.Second, 15*time.Second
		r.onEvent = func(ev Event) {
			if ev.Kind == EventCommand {
				time.AfterFunc(5*time.Second, cancel)
			}
		}
		done, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted, "runs on")
		if !done.StopBegun || r.runner.kills > 0 {
			r.Errorf("done %+v, %d kills", done, r.runner.kills)
		}
		done, err = r.run()
		if err != nil || r.runner.stops() != 1 || done.StopBegun {
			r.Errorf("again: %v, %d stops, done %+v", err, r.runner.stops(), done)
		}
	})
}

// Whoever stopped watching was told that the stop had failed.
func TestAnInterruptInTheWatchIsNoFailedStop(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		ctx, cancel := context.WithCancel(r.Context())
		watched := func() {
			for !r.said(EventProgress, "watching the cluster") {
				r.pause(time.Second)
			}
			cancel()
		}
		go watched()
		done, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		if !done.StopBegun || !done.Watching || !slices.Equal(done.Stopped, []int32{1}) {
			r.Errorf("done %+v, want a stop that went well and is not watched to its end", done)
		}
		if done, err = r.run(); err != nil || done.Watching || done.StopBegun || r.runner.stops() != 1 {
			r.Errorf("again: %v, done %+v, %d stops", err, done, r.runner.stops())
		}
	})
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.stop = func(b int32) {
			r.sim.Shutdown(b)
			time.AfterFunc(15*time.Second, func() { r.sim.Crash(2) })
		}
		done, err := r.run()
		r.wants(err, ErrStop)
		if !done.StopBegun || done.Watching {
			r.Errorf("done %+v, want a watch that failed", done)
		}
	})
}

func TestUnregisterFollowsAStop(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.rb.Steps = append(r.rb.Steps, runbooks.Step{Kind: runbooks.Unregister})
		done, err := r.run()
		if err != nil {
			r.Fatal(err)
		}
		for _, b := range r.sim.State().Brokers {
			if b.ID == 1 && len(b.Configs) > 0 {
				r.Errorf("broker 1 is unregistered with %v: a later one would come up with it", b.Configs)
			}
		}
		if n := countBegun(r, runbooks.Cordon); n != 1 {
			r.Errorf("the cordon step was taken %d times: nobody is left to be cordoned after the stop", n)
		}
		if len(done.Cordoned) > 0 || registered(r.sim, 1) {
			r.Errorf("done %+v, registered: %v", done, registered(r.sim, 1))
		}
		r.drained(before, 1)
	})
}

// The answer was lost, the question repeated, and the run failed after a stop that
// went well: the broker was not registered any more.
func TestABrokerThatIsUnregisteredTwiceIsUnregistered(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Steps = append(r.rb.Steps, runbooks.Step{Kind: runbooks.Unregister})
		r.sim.Inject(simkafka.Fault{Keys: []kmsg.Key{kmsg.UnregisterBroker}, DropAfter: true})
		if _, err := r.run(); err != nil || registered(r.sim, 1) {
			r.Errorf("got %v, registered: %v", err, registered(r.sim, 1))
		}
		if asked := slices.DeleteFunc(r.sim.Requests(), func(c simkafka.Call) bool { return c.Request.Key() != int16(kmsg.UnregisterBroker) }); len(asked) != 2 {
			r.Errorf("it was asked for %d times, want a lost answer and another", len(asked))
		}
	})
}

// countBegun is how often a step was begun.
func countBegun(r *rig, kind runbooks.StepKind) int {
	n := 0
	for _, rec := range r.records() {
		if rec.Kind == KindBegin && rec.Name == kind {
			n++
		}
	}
	return n
}

func registered(c *simkafka.Cluster, id int32) bool { return c.BrokerState(id) != plan.Down }
