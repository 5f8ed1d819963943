package executor

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"drain/plan"
)

// The moves of another runbook's run that was interrupted were somebody else's,
// to be waited for.
func TestAForeignMoveOfAnotherRunbookIsNamed(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(20*time.Second, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		client := r.dial()
		defer client.Close()
		other := r.config(client)
		other.Path, other.Runbook.Brokers = "/runbooks/broker-2.yaml", []int32{2}
		_, err = Run(r.Context(), other)
		r.wants(err, ErrRefused, "is being moved by somebody else", "it is a move of the run of /runbooks/broker-1.yaml", "`drain cancel /runbooks/broker-1.yaml`")
	})
}

// A run of another cluster with topics of the same names was told as the owner of
// a move, and whoever followed the remedy took back moves over there.
func TestAMoveIsNotThatOfARunOfAnotherCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pay := Partition{Topic: "pay", Partition: 2}
	for cluster, path := range map[string]string{"prod": "/b.yaml", "staging": "/a.yaml"} {
		writeJournal(t, FilesOf(dir, path), []Record{
			{Kind: KindHeader, Broker: none, Header: &Header{Version: JournalVersion, Run: "r", Cluster: cluster, Brokers: []int32{1}, Runbook: path}},
			{Kind: KindPlan, Broker: none, Plan: &PlanPart{Round: 1, Moves: []Move{{Partition: pay, Before: []int32{1}, After: []int32{2}, From: []int32{1}, To: []int32{2}}}}},
			{Kind: KindSubmit, Broker: none, Partitions: []Partition{pay}},
		})
	}
	r := newRun(Config{StateDir: dir, Path: "/mine.yaml"})
	for cluster, want := range map[string]string{
		"prod":    "bring that to its end with `drain run /b.yaml`, or take its moves back with `drain cancel /b.yaml`",
		"staging": "bring that to its end with `drain run /a.yaml`, or take its moves back with `drain cancel /a.yaml`",
		"other":   "",
	} {
		findings := []plan.Finding{{Risk: foreignRisk, Topic: "pay", Partition: 2}, {Risk: foreignRisk, Topic: "pay", Partition: 3}}
		r.nameOwners(cluster, findings)
		if got := []string{findings[0].Remedy, findings[1].Remedy}; !slices.Equal(got, []string{want, ""}) {
			t.Errorf("cluster %s: got %q, want %q", cluster, got, want)
		}
	}
}

// foreign has somebody else move pay-0, which broker 1 leads, from broker 3 to 4. It
// ends after that time; 0 is never.
func (r *rig) foreign(ends time.Duration) {
	r.Helper()
	pay := plan.TopicPartition{Topic: "pay"}
	if err := errors.Join(r.sim.Stall(pay, 4, true), r.sim.Reassign(pay, []int32{1, 2, 4})); err != nil {
		r.Fatal(err)
	}
	if ends > 0 {
		time.AfterFunc(ends, func() { r.sim.Stall(pay, 4, false) })
	}
}

// The check refused at once what the runbook says to wait for, with the remedy of
// waiting.
func TestTheCheckWaitsForForeignMoves(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		before, began := r.sim.State(), time.Now()
		r.rb.WaitForForeign = 5 * time.Minute
		r.foreign(2 * time.Minute)
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if took := time.Since(began); took < 2*time.Minute || took > 5*time.Minute {
			r.Errorf("it took %v", took)
		}
		if waits := r.texts(EventWait); len(waits) != 1 || waits[0] != "waiting until 2000-01-01T00:05:00Z: pay-0 is being moved by somebody else: adding [4], removing [3]" {
			r.Errorf("waits: %q", waits)
		}
		if p := r.sim.State().Topics[1].Partitions[0]; !slices.Contains(p.Replicas, 4) {
			r.Errorf("pay-0 is on %v: their move was lost", p.Replicas)
		}
		r.drained(before, 1)
	})
}

func TestAForeignMoveThatDoesNotEndIsRefused(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{0, 5 * time.Minute} {
		t.Run(wait.String(), func(t *testing.T) {
			t.Parallel()
			simulate(t, incident(), plainRunbook, func(r *rig) {
				r.rb.WaitForForeign = wait
				r.foreign(0)
				before, began := r.sim.State(), time.Now()
				done, err := r.run()
				r.wants(err, ErrRefused, "foreign-move: pay-0 is being moved by somebody else")
				if took := time.Since(began); done.Changed || took < wait || took > wait+10*time.Second {
					r.Errorf("done %+v after %v", done, took)
				}
				r.untouched(before)
			})
		})
	}
}

// What will not pass with them is told at once.
func TestForeignMovesAreNotWaitedForInVain(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		r.rb.WaitForForeign, r.rb.Destinations = 5*time.Minute, []int32{2}
		r.foreign(2 * time.Minute)
		began := time.Now()
		_, err := r.run()
		r.wants(err, ErrRefused, "foreign-move", "rf-above-brokers")
		if took := time.Since(began); took > 10*time.Second {
			r.Errorf("it took %v", took)
		}
	})
}

// One that begins between the check and the moves is waited for as well, until the
// run's deadline.
func TestTheMovesWaitForForeignOnes(t *testing.T) {
	t.Parallel()
	for _, deadline := range []time.Duration{0, time.Minute} {
		t.Run(deadline.String(), func(t *testing.T) {
			t.Parallel()
			simulate(t, incident(), plainRunbook, func(r *rig) {
				r.rb.WaitForForeign, r.rb.Deadline = 5*time.Minute, deadline
				r.onEvent = func(ev Event) {
					if ev.Kind == EventStep && ev.Step == "cordon" {
						r.foreign(2 * time.Minute)
					}
				}
				done, err := r.run()
				if deadline > 0 {
					r.wants(err, ErrDeadline)
				} else if err != nil {
					r.Error(err)
				}
				if len(r.texts(EventWait)) != 1 || len(done.Owed) > 0 {
					r.Errorf("waits %q, owed %v", r.texts(EventWait), done.Owed)
				}
			})
		})
	}
}
