package executor

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drain/plan"
	"drain/runbooks"
)

func TestAClockThatDisagreesIsTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		ahead  time.Duration
		window *runbooks.Window
		want   string // "" is nothing
		level  plan.Level
	}{
		{"a minute is tolerated", time.Minute, nil, "", plan.Warn},
		{"ahead", 90 * time.Second, nil, "the clock of the leading controller is 1m30s ahead of the one of this host", plan.Warn},
		{"behind", -2 * time.Hour, nil, "the clock of the leading controller is 2h0m0s behind the one of this host", plan.Warn},
		{"a little, with a window", 10 * time.Minute, nightly(22, 23), "the clock of the leading controller is 10m0s ahead of the one of this host", plan.Warn},
		{"much, with a window", -11 * time.Minute, nightly(22, 23), "the clock of the leading controller is 11m0s behind the one of this host: the window may open at the wrong time", plan.Block},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := clockSkew(preflight{runbook: runbooks.Runbook{Window: c.window}, cluster: &plan.Cluster{ClockAhead: c.ahead}})
			if c.want == "" {
				if len(got) > 0 {
					t.Errorf("got %+v, want nothing", got)
				}
				return
			}
			if len(got) != 1 || got[0].Message != c.want || got[0].Level != c.level || got[0].Risk != "clock-skew" {
				t.Errorf("got %+v, want %v %q", got, c.level, c.want)
			}
		})
	}
}

// A window that opens by a wrong clock begins nothing, unless that is accepted.
func TestAWrongClockHoldsAWindowBack(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook+"window: {hours: \"00:00-24:00\", timeZone: UTC}\n", func(r *rig) {
		before := r.sim.State()
		r.sim.SetClock(time.Hour)
		_, err := r.run()
		r.wants(err, ErrRefused, "clock-skew", "1h0m0s ahead")
		r.untouched(before)
		r.rb.AcceptRisks = []string{"clock-skew"}
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		r.drained(before, 1)
	})
}

// With ZooKeeper nobody tells the time, and nothing is said.
func TestTheClockOfZooKeeperIsNotKnown(t *testing.T) {
	t.Parallel()
	s := incident()
	s.ZooKeeper, s.Release = true, "3.9"
	simulate(t, s, plainRunbook, func(r *rig) {
		r.sim.SetClock(time.Hour)
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if texts := strings.Join(r.texts(EventWarn), "\n"); strings.Contains(texts, "clock") {
			r.Errorf("warnings: %s", texts)
		}
	})
}

// A stop that was begun by a clock which was put back since was waited for until
// that time came again: hours instead of its timeout.
func TestAClockThatWasPutBackDoesNotHoldAResumeUp(t *testing.T) {
	t.Parallel()
	simulate(t, incident(), plainRunbook, func(r *rig) {
		stop := r.runner.stop
		r.runner.stop = func(int32) {} // it dies before it does anything
		r.dieAt(KindChild)
		if _, err := r.run(); err == nil {
			r.Fatal("it did not die")
		}
		r.shiftJournal(3 * time.Hour)
		r.disk, r.runner.stop = nil, stop
		began := time.Now()
		if _, err := r.run(); err != nil {
			r.Fatal(err)
		}
		if took := time.Since(began); took > 5*time.Minute {
			r.Errorf("it took %v", took)
		}
		if !r.said(EventWarn, "the clock of this host was put back") {
			r.Errorf("warnings: %q", r.texts(EventWarn))
		}
		if n := r.runner.stops(); n != 2 {
			r.Errorf("%d stop commands, want that of the dead process and one more", n)
		}
	})
}

// shiftJournal dates all records later, as if the clock had been put back since.
func (r *rig) shiftJournal(by time.Duration) {
	r.Helper()
	var text []byte
	for _, rec := range r.records() {
		rec.Time = rec.Time.Add(by)
		b, err := line(rec)
		if err != nil {
			r.Fatal(err)
		}
		text = append(text, b...)
	}
	if err := os.WriteFile(r.files().Journal(), text, 0o600); err != nil {
		r.Fatal(err)
	}
}

func TestAJumpIsWhatTheClockWentBeyondTheTime(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, by := range []time.Duration{0, time.Hour, -5 * time.Minute} {
		seen := read(now.Add(-20 * time.Second))
		seen.shown = seen.shown.Add(-by)
		if got := seen.jump(now); got != by {
			t.Errorf("got %v, want %v", got, by)
		}
	}
}

// The watch of the clock goes on beside the steps: what it tells is about none of
// them, nor about their brokers.
func TestAJumpIsToldOnceAndBesideTheSteps(t *testing.T) {
	t.Parallel()
	var told events
	r := &run{cfg: Config{Sink: &told}, slot: Slot{Step: 3, Kind: runbooks.Stop, Broker: 7}}
	now := time.Now()
	seen := read(now.Add(-20 * time.Second))
	if r.tellJump(seen, now) != seen || len(told) > 0 {
		t.Errorf("without a jump: told %+v", told)
	}
	seen.shown = seen.shown.Add(-time.Hour)
	if after := r.tellJump(seen, now); after != read(now) {
		t.Errorf("the clock was not read anew: got %v, want %v", after, read(now))
	}
	if len(told) != 1 || told[0].Kind != EventWarn || told[0].Step != "" || told[0].Broker != none ||
		told[0].Text != "the clock of this host has jumped by 1h0m0s: it was set, or the host was asleep" {
		t.Errorf("told %+v", told)
	}
}

// events is a sink that keeps what it is told.
type events []Event

func (s *events) Event(ev Event) { *s = append(*s, ev) }

func TestAPauseUntilATimeEndsAtIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		at := time.Now().Add(101 * time.Second)
		if err := pauseUntil(t.Context(), at); err != nil || !time.Now().Equal(at) {
			t.Errorf("ended at %v with %v, want %v", time.Now(), err, at)
		}
	})
}
