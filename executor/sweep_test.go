package executor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"drain/internal/simkafka"
	"drain/reassign"
)

// sweep is `drain cleanup --no-journal --yes`.
func (r *rig) sweep() (Done, error) {
	r.Helper()
	client := r.dial()
	defer client.Close()
	return Sweep(r.Context(), r.config(client))
}

// loseJournal deletes the state folder.
func (r *rig) loseJournal() {
	r.Helper()
	if err := os.RemoveAll(r.dir); err != nil {
		r.Fatal(err)
	}
	r.events = nil
}

// TestASweepAfterAnyCrashClearsWhatItDoesNotTell kills the process after each
// record in turn, loses the journal, and sweeps: nothing of the drain is in
// flight, and each setting that still differs was told to be left alone.
func TestASweepAfterAnyCrashClearsWhatItDoesNotTell(t *testing.T) {
	t.Parallel()
	for n, crashed := 1, true; crashed && !t.Failed(); n += stride(3) {
		t.Run(fmt.Sprintf("record %d", n), func(t *testing.T) {
			simulate(t, incident(), plainRunbook, func(r *rig) {
				before := r.sim.State()
				r.dieAfter(n)
				_, err := r.run()
				if crashed = errors.Is(err, errDied); !crashed {
					return
				}
				r.disk = nil
				r.loseJournal()
				if _, err := r.sweep(); err != nil {
					r.Fatal(err)
				}
				r.pause(time.Minute)
				for what, now := range r.leaks(before) {
					if !r.said(EventSkip, what) {
						r.Errorf("%s is %q, and nobody was told: %q", what, now, r.texts(EventSkip))
					}
				}
				if flying := r.inFlight(); len(flying) > 0 {
					r.Errorf("in flight: %v", flying)
				}
			})
		})
	}
}

// leaks are the settings that are not as before, in the words of what is told of
// them: the whole broker where it is down.
func (r *rig) leaks(before simkafka.Spec) map[string]string {
	leaks := map[string]string{}
	now := r.sim.State()
	for i, b := range now.Brokers {
		for k, v := range b.Configs {
			what := fmt.Sprintf("broker %d: %s", b.ID, k)
			if !r.sim.Running(b.ID) {
				what = fmt.Sprintf("broker %d is down", b.ID)
			}
			if was, ok := before.Brokers[i].Configs[k]; !ok || was != v {
				leaks[what] = v
			}
		}
	}
	for i, t := range now.Topics {
		for k, v := range t.Configs {
			if was, ok := before.Topics[i].Configs[k]; !ok || was != v {
				what := fmt.Sprintf("topic %s: %s", t.Name, k)
				if k == reassign.MinISR {
					what = "lowers while it moves them" // what was there before nobody knows
				}
				leaks[what] = v
			}
		}
	}
	return leaks
}

// TestASweepTakesTheMovesBack is a drain that was interrupted while it copied,
// and whose journal is lost: nothing stays in flight, and rates, lists and cordon
// are gone.
func TestASweepTakesTheMovesBack(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		before := r.sim.State()
		ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
		defer cancel()
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		_, err = r.sweep()
		r.wants(err, ErrUsage, "without --no-journal")
		r.loseJournal()
		r.yes = false
		_, err = r.sweep()
		r.wants(err, ErrUsage, "there is no terminal to ask on: pass --yes")
		if !r.said(EventFound, "is in flight: to be cancelled") || !r.said(EventFound, "throttled.rate holds 10000000") {
			r.Errorf("found %q", r.texts(EventFound))
		}
		r.yes = true
		done, err := r.sweep()
		if err != nil || !done.Changed {
			r.Fatalf("done %+v, %v", done, err)
		}
		left := r.leaks(before)
		if len(left) != 1 || !r.said(EventSkip, "lowers while it moves them; delete it where it was not there before: log") {
			r.Errorf("left: %v, told %q", left, r.texts(EventSkip))
		}
		if flying := r.inFlight(); len(flying) > 0 {
			r.Errorf("in flight: %v", flying)
		}
		if _, err := r.sweep(); err != nil || !r.said(EventSkip, "nothing fits a drain of broker 1") {
			r.Errorf("again: %v, said %q", err, r.texts(EventSkip))
		}
	})
}

// inFlight are the partitions that are being moved.
func (r *rig) inFlight() []string {
	var names []string
	for _, topic := range r.sim.State().Topics {
		for _, p := range topic.Partitions {
			if len(p.Adding)+len(p.Removing) > 0 {
				names = append(names, fmt.Sprintf("%s-%d", topic.Name, p.Number))
			}
		}
	}
	return names
}
