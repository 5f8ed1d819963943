package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"drain/executor/child"
	"drain/internal/simkafka"
	"drain/runbooks"
)

func TestABrokerIsDrainedAndStopped(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		done, err := r.run()
		if err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
		if r.runner.stops() != 1 || !done.Changed || done.StopBegun || len(done.Owed) > 0 || !slices.Equal(done.Stopped, []int32{1}) {
			r.Errorf("%d stops, done %+v", r.runner.stops(), done)
		}
		if !slices.Equal(done.Cordoned, []int32{1}) {
			r.Errorf("cordoned %v, want broker 1 until a restore", done.Cordoned)
		}
		for tp, d := range r.sim.Unwritable() {
			if d > 2*time.Second {
				r.Errorf("%v took no acks=all write for %v", tp, d)
			}
		}
	})
}

func TestARunAfterTheEndIsAlreadyStopped(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		began := time.Now()
		done, err := r.run()
		if err != nil || done.Changed || r.runner.stops() != 1 || !r.said(EventSkip, "already stopped: broker 1") {
			r.Errorf("done %+v, %v, %d stops, said %q", done, err, r.runner.stops(), r.texts(EventSkip))
		}
		if took := time.Since(began); took > 5*time.Second {
			r.Errorf("it took %v", took)
		}
		// Started again it is there to be drained again: a new run.
		r.sim.StartBroker(1)
		r.pause(time.Minute)
		if _, err := r.run(); err != nil || r.runner.stops() != 2 {
			r.Errorf("the broker was started again: %v, %d stops, want 2", err, r.runner.stops())
		}
	})
}

func TestARefusalChangesNothingAndClosesTheJournal(t *testing.T) {
	t.Parallel()
	s := incident()
	s.Brokers = s.Brokers[:3]
	simulate(t, s, plainRunbook, func(r *rig) {
		before := r.sim.State()
		done, err := r.run()
		r.wants(err, ErrRefused, "pay")
		r.untouched(before)
		if done.Changed || r.runner.stops() > 0 || len(r.sim.Requests()) > 0 {
			r.Errorf("done %+v, %d stops, %d requests that change something", done, r.runner.stops(), len(r.sim.Requests()))
		}
		if last := r.records(); !ended(last) {
			r.Errorf("the journal ends with %q, want it closed", last[len(last)-1].Kind)
		}
	})
}

func TestConsentIsAskedForOnceBeforeTheFirstChange(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		say  []bool
		want error
	}{{"nobody is there", nil, ErrUsage}, {"no", []bool{false}, ErrInterrupted}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			simulate(t, incident(), plainRunbook, func(r *rig) {
				before := r.sim.State()
				r.yes, r.asked.yes = false, tc.say
				done, err := r.run()
				r.wants(err, tc.want)
				r.untouched(before)
				if done.Changed || !ended(r.records()) {
					r.Errorf("done %+v, want no change and a closed journal", done)
				}
			})
		})
	}
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.yes, r.asked.yes = false, []bool{true}
		if _, err := r.run(); err != nil || len(r.asked.asked) != 1 {
			r.Errorf("got %v, asked %q", err, r.asked.asked)
		}
	})
}

func TestAMissingProgramOrAnUnknownBrokerIsAUsageError(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.runner.missed = map[string]bool{"stop-it": true}
		_, err := r.run()
		r.wants(err, ErrUsage, "stop-it")
		r.runner.missed = nil
		r.rb.Brokers = []int32{9}
		_, err = r.run()
		r.wants(err, ErrUsage, "no broker 9")
		r.rb.Brokers = []int32{1}
		r.rb.Cluster.ID = "another"
		_, err = r.run()
		r.wants(err, ErrRefused, "another")
		if n := len(r.sim.Requests()); n > 0 {
			r.Errorf("%d requests that change something were sent", n)
		}
	})
}

func TestAnUnboundStopIsRefused(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Stop.Command = []string{"ssh", "kafka-2", "stop"}
		_, err := r.run()
		r.wants(err, ErrRefused, "unbound-stop", "kafka-2")
	})
}

func TestAnInterruptLeavesARunThatGoesOn(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(20*time.Second, cancel)
		began := time.Now()
		done, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		if took := time.Since(began); took > 50*time.Second {
			r.Errorf("it took %v to end", took)
		}
		if !done.Changed || done.StopBegun || r.runner.stops() > 0 {
			r.Errorf("done %+v", done)
		}
		if !r.said(EventLast, "drain run /runbooks/broker-1.yaml") || !r.said(EventLast, "Kafka goes on moving") {
			r.Errorf("last words: %q", r.texts(EventLast))
		}
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
		if r.runner.stops() != 1 {
			r.Errorf("%d stops", r.runner.stops())
		}
	})
}

// slow is the incident with logs that take a minute or two to move.
func slow() simkafka.Spec {
	s := incident()
	for i := range s.Topics {
		for k := range s.Topics[i].Partitions {
			s.Topics[i].Partitions[k].Bytes *= 100
		}
	}
	return s
}

func TestADeadlineEndsARunBeforeTheStop(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		r.rb.Deadline = 20 * time.Second
		r.rb.AcceptRisks = []string{"throttle-too-long"}
		done, err := r.run()
		r.wants(err, ErrDeadline)
		if errors.Is(err, ErrInterrupted) || r.runner.stops() > 0 || done.StopBegun {
			r.Errorf("%v, done %+v", err, done)
		}
		r.rb.Deadline = 0
		if _, err := r.run(); err != nil || r.runner.stops() != 1 {
			r.Errorf("without a deadline: %v, %d stops", err, r.runner.stops())
		}
	})
}

// A command was begun past the deadline, where another one had used the time up.
func TestNoCommandBeginsPastTheDeadlineButWhatGoesWithAStop(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		at   int // where the two commands stand
		want []string
		err  error
	}{
		{"before the stop", 1, []string{"first 1"}, ErrDeadline},
		{"after it", 5, []string{"stop-it 1", "first 1", "second 1"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			simulate(t, incident(), plainRunbook, func(r *rig) {
				r.rb.Deadline = 5 * time.Minute
				for _, name := range []string{"second", "first"} {
					command := &runbooks.RunStep{Name: name, Command: []string{name, "{broker}"}, Timeout: time.Hour}
					r.rb.Steps = slices.Insert(r.rb.Steps, tc.at, runbooks.Step{Kind: runbooks.Run, Run: command})
				}
				r.runner.others = func([]string) { r.pause(6 * time.Minute) }
				_, err := r.run()
				if !errors.Is(err, tc.err) || !slices.Equal(r.runner.ran, tc.want) {
					r.Errorf("got %v, ran %q; want %v, %q", err, r.runner.ran, tc.err, tc.want)
				}
			})
		})
	}
}

func TestAChangedPlanIsAnotherRunUntilCleanup(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(20*time.Second, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)

		r.rb.Stop.Command = []string{"stop-it", "{broker}", "now"}
		_, err = r.run()
		r.wants(err, ErrJournal, "drain cleanup")
		// What may change, may.
		r.rb.Stop.Command = []string{"stop-it", "{broker}"}
		r.rb.Throttle.BytesPerSec *= 2
		if done, err := r.cleanup(false); err != nil || len(done.Owed) > 0 {
			r.Fatalf("cleanup: %v, %+v", err, done)
		}
		for _, b := range r.sim.State().Brokers {
			if len(b.Configs) > 0 {
				r.Errorf("after the cleanup broker %d has %v", b.ID, b.Configs)
			}
		}
		r.rb.Stop.Command = []string{"stop-it", "{broker}", "now"}
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
	})
}

func TestSeveralBrokersAreMovedTogetherAndStoppedInTurn(t *testing.T) {
	t.Parallel()
	s := incident()
	for id := int32(6); id <= 7; id++ {
		s.Brokers = append(s.Brokers, simkafka.Broker{ID: id, Rack: "b", Host: fmt.Sprintf("kafka-%d", id), Port: 9092})
	}
	simulate(t, s, plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.rb.Brokers = []int32{2, 1}
		done, err := r.run()
		if err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1, 2)
		if want := []int32{2, 1}; !slices.Equal(done.Stopped, want) {
			r.Errorf("stopped %v, want %v in turn", done.Stopped, want)
		}
		if want := []string{"stop-it 2", "stop-it 1"}; !slices.Equal(r.runner.ran, want) {
			r.Errorf("ran %q, want %q", r.runner.ran, want)
		}
	})
}

func TestARunOnAFullDiskStopsBeforeTheNextChange(t *testing.T) {
	t.Parallel()
	for n := 1; n < 60; n += 4 {
		simulate(t, incident(), plainRunbook, func(r *rig) {
			r.disk = fullAfter(n)
			done, err := r.run()
			if err == nil {
				return
			}
			if !errors.Is(err, errFull) {
				r.Fatalf("after %d records: got %v, want %v", n, err, errFull)
			}
			if r.runner.stops() > 0 && !done.StopBegun && len(done.Stopped) == 0 {
				r.Errorf("after %d records a stop was issued without a record", n)
			}
			r.disk = nil
			if _, err := r.run(); err != nil {
				r.Fatalf("after %d records, with room again: %v", n, err)
			}
			if r.runner.stops() != 1 {
				r.Errorf("after %d records: %d stops", n, r.runner.stops())
			}
		})
	}
}

func TestARunStepThatNobodySawEndIsNotRepeated(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Steps = withCommand()
		r.rb.Steps[2].Run.Repeat = false
		r.dieAt(KindAct)
		_, err := r.run()
		r.wants(err, errDied)
		r.disk = nil
		done, err := r.run()
		r.wants(err, ErrBlocked, `command "note"`, "repeat: true", "drain cancel /runbooks/broker-1.yaml")
		if !done.Changed || slices.Contains(r.runner.ran, "stop-it 1") {
			r.Errorf("done %+v, ran %q", done, r.runner.ran)
		}
		// The way out that the refusal names is one.
		client := r.dial()
		defer client.Close()
		if _, asked, err := Cancel(r.Context(), r.config(client)); err != nil || asked {
			r.Fatalf("cancel: asked %v, %v", asked, err)
		}
		if _, err := r.run(); err != nil || r.runner.stops() != 1 {
			r.Errorf("a new run: %v, %d stops", err, r.runner.stops())
		}
	})
}

// A run that was cancelled, or given up for another plan, while its command still
// ran left that to be begun once more beside it.
func TestARunWhoseCommandStillRunsIsNotClosed(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.Steps = withCommand()
		r.dieAt(KindChild)
		_, err := r.run()
		r.wants(err, errDied)
		r.disk = nil
		first := *r.records()[len(r.records())-1].Process
		r.runner.alive = map[child.Process]bool{first: true}
		cancel := func() error {
			client := r.dial()
			defer client.Close()
			_, _, err := Cancel(r.Context(), r.config(client))
			return err
		}
		for range 2 {
			r.wants(cancel(), ErrBlocked, `command ["note" "1"] of this run, pid`, "still runs")
		}
		if _, err := r.cleanup(false); err != nil {
			r.Fatal(err)
		}
		steps := r.rb.Steps
		r.rb.Steps = runbooks.DefaultSteps()
		_, err = r.run()
		r.wants(err, ErrJournal, `command ["note" "1"] of this run, pid`, "still runs")
		r.rb.Steps = steps
		r.runner.alive = nil
		if err := cancel(); err != nil || !ended(r.records()) {
			r.Errorf("once it has ended: %v, journal ended %t", err, ended(r.records()))
		}
	})
}

// A repeated command ran beside the first, which had outlived its drain.
func TestARunStepIsNotRepeatedBesideTheFirst(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		died  Kind // the last record
		alive bool // the first command, for as long as it may
		least time.Duration
		most  time.Duration
		kills int
	}{
		{"its process runs on, and has a minute", KindChild, true, 55 * time.Second, 70 * time.Second, 1},
		{"its process is gone", KindChild, false, 0, 10 * time.Second, 0},
		{"nobody knows its process", KindAct, false, 55 * time.Second, 70 * time.Second, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			simulate(t, incident(), plainRunbook, func(r *rig) {
				r.rb.Steps = withCommand()
				r.dieAt(tc.died)
				_, err := r.run()
				r.wants(err, errDied)
				if p := r.records()[len(r.records())-1].Process; tc.alive {
					r.runner.alive = map[child.Process]bool{*p: true}
				}
				r.disk = nil
				began, ran := time.Now(), time.Duration(-1)
				r.runner.others = func([]string) { ran = time.Since(began) }
				if _, err := r.run(); err != nil {
					r.Fatal(err)
				}
				if ran < tc.least || ran > tc.most || r.runner.kills != tc.kills {
					r.Errorf("repeated after %v with %d kills, want %v to %v and %d", ran, r.runner.kills, tc.least, tc.most, tc.kills)
				}
			})
		})
	}
}

// A stop that may be under way is not to be tidied away: its cordon stays, and
// the run is to be gone on with.
func TestAStopInTheBalanceIsNotTidiedAway(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		r.dieAt(KindChild)
		_, err := r.run()
		r.wants(err, errDied)
		r.disk = nil
		for _, cancel := range []bool{false, true} {
			done, err := r.cleanup(cancel)
			r.wants(err, ErrStop, "the stop of broker 1 was begun", "drain run")
			if !done.StopBegun {
				r.Errorf("done %+v", done)
			}
		}
		if _, err := r.run(); err != nil || r.runner.stops() != 1 {
			r.Errorf("then: %v, %d stops", err, r.runner.stops())
		}
		r.drained(before, 1)
	})
}

func TestAnotherRunsChangesAreNotAnsweredFor(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(10*time.Second, cancel)
		done, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		if !done.Changed {
			r.Errorf("done %+v", done)
		}
		r.rb.Exclude = []int32{4}
		done, err = r.run()
		r.wants(err, ErrJournal, "what decides the moves and the stop")
		if done.Changed {
			r.Errorf("done %+v, want nothing", done)
		}
	})
}

func TestAThrottleOfTheRunbookBeatsAnOlderRequest(t *testing.T) {
	t.Parallel()
	now := int64(5)
	records := []Record{
		{N: 1, Kind: KindHeader, Header: &Header{Settings: map[string]string{"throttle": "10 B/s"}}},
		{N: 2, Kind: KindThrottle, Throttle: &now},
		{N: 3, Kind: KindResume, Header: &Header{Settings: map[string]string{"throttle": "10 B/s"}}},
	}
	if h := fold(records); h.throttle == nil || *h.throttle != 5 {
		t.Errorf("after a resume with the same runbook: %v, want 5", h.throttle)
	}
	records = append(records, Record{N: 4, Kind: KindResume, Header: &Header{Settings: map[string]string{"throttle": "20 B/s"}}})
	if h := fold(records); h.throttle != nil {
		t.Errorf("after the runbook was changed: %d, want what the runbook says", *h.throttle)
	}
}
