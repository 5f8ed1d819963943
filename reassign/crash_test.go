package reassign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"drain/plan"
)

// drive runs act in a goroutine of its own, that a test may end at any point
// with runtime.Goexit, as a SIGKILL would. It reports whether that happened.
func drive(act func() error) (err error, died bool) {
	died = true
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = act()
		died = false
	}()
	<-done
	return err, died
}

// wantMoved fails unless every move is where the plan wanted it, led as it
// wanted, and every setting is as it was.
func wantMoved(t *testing.T, m *model, ledger *memory, moves []plan.Move, before map[string]string) {
	t.Helper()
	for _, mv := range moves {
		p := m.parts[mv.TopicPartition]
		if !slices.Equal(p.replicas, mv.After) || p.leader != mv.LeadsFirst || len(p.adding)+len(p.removing) > 0 {
			t.Errorf("%v is at %v, led by %d; want %v", mv.TopicPartition, p.replicas, p.leader, mv.After)
		}
	}
	wantClean(t, m, ledger, before)
}

// wantClean fails unless every setting is as it was, and nothing is owed.
func wantClean(t *testing.T, m *model, ledger *memory, before map[string]string) {
	t.Helper()
	if after := m.settings(); !maps.Equal(before, after) {
		t.Errorf("settings are\n%v, were\n%v", after, before)
	}
	if open := ledger.book.Open(); len(open) > 0 {
		t.Errorf("still owed: %v", open)
	}
}

// decorated is the incident with settings of an operator's own.
func decorated() (*model, plan.Plan) {
	m, p := incident()
	m.brokers[1].configs[LeaderRate] = "5000000"
	m.brokers[4].configs[FollowerRate] = "400000"
	m.topics["pay"][LeaderList] = "7:2,0:1"
	m.topics["log"][FollowerList] = ""
	m.topics["pay"][MinISR] = "2"
	return m, p
}

// A run that dies after any record of the journal, or after any request of its
// own, is carried on by the next one, to the same end and without a leak.
func TestMoveGoesOnAfterACrash(t *testing.T) {
	t.Parallel()
	points := func(t *testing.T, cordoned bool, arm func(m *model, ledger *memory, at int)) {
		for at := 1; ; at += stride() {
			died := false
			synctest.Test(t, func(t *testing.T) {
				m, p := decorated()
				if cordoned {
					m.cordon(1)
				}
				before := m.settings()
				ledger := &memory{}
				arm(m, ledger, at)
				o := Options{BytesPerSec: 1e6}
				var err error
				if err, died = drive(func() error { return New(m.ports(), ledger, nil, o, nil).Move(t.Context(), p) }); !died {
					if err != nil {
						t.Fatal(err)
					}
					return
				}
				ledger.crash, m.fault = nil, nil
				time.Sleep(time.Duration(at%7) * time.Second)
				o.Own = p.Moves
				d := New(m.ports(), ledger, ledger.book.Open(), o, nil)
				if err := d.Move(t.Context(), p); err != nil {
					t.Fatalf("after a crash at %d: %v", at, err)
				}
				wantMoved(t, m, ledger, p.Moves, before)
			})
			if !died {
				if at < 20 {
					t.Errorf("only %d points were tried", at)
				}
				return
			}
			if t.Failed() {
				t.Fatalf("at point %d", at)
			}
		}
	}
	for _, cordoned := range []bool{false, true} {
		t.Run(fmt.Sprintf("after a record, cordoned %v", cordoned), func(t *testing.T) {
			t.Parallel()
			points(t, cordoned, func(m *model, ledger *memory, at int) {
				ledger.crash = func(n int) error {
					if n == at {
						runtime.Goexit()
					}
					return nil
				}
			})
		})
		t.Run(fmt.Sprintf("at a request, cordoned %v", cordoned), func(t *testing.T) {
			t.Parallel()
			points(t, cordoned, func(m *model, ledger *memory, at int) {
				n := 0
				m.fault = func(string) error {
					if n++; n == at {
						runtime.Goexit()
					}
					return nil
				}
			})
		})
	}
}

// A run that dies is cleaned up: by waiting for what is in flight, or by
// cancelling it. Neither leaves a setting, and a cancel gives the order of the
// replicas back.
func TestCleanUpAfterACrash(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(context.Context, *Driver) error
	}{
		{"wait", func(ctx context.Context, d *Driver) error { return d.Wait(ctx) }},
		{"cancel", func(ctx context.Context, d *Driver) error { return d.Cancel(ctx) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for at := 1; at < 70; at += stride() {
				synctest.Test(t, func(t *testing.T) {
					m, p := decorated()
					before := m.settings()
					ledger := &memory{crash: func(n int) error {
						if n == at {
							runtime.Goexit()
						}
						return nil
					}}
					o := Options{BytesPerSec: 1e6}
					_, died := drive(func() error { return New(m.ports(), ledger, nil, o, nil).Move(t.Context(), p) })
					ledger.crash = nil
					o.Own = p.Moves
					if err := c.do(t.Context(), New(m.ports(), ledger, ledger.book.Open(), o, nil)); err != nil {
						t.Fatalf("after a crash at record %d (died: %v): %v", at, died, err)
					}
					wantClean(t, m, ledger, before)
					for _, mv := range p.Moves {
						part := m.parts[mv.TopicPartition]
						if len(part.adding)+len(part.removing) > 0 {
							t.Errorf("%v is still in flight", mv.TopicPartition)
						}
						if c.name == "cancel" && !slices.Equal(part.replicas, mv.Before) && !slices.Equal(part.replicas, mv.After) {
							t.Errorf("%v is at %v, want %v or %v", mv.TopicPartition, part.replicas, mv.Before, mv.After)
						}
					}
				})
			}
		})
	}
}

// When ctx ends at any point, nothing new begins, and what stays is what covers
// moves in flight, which the error names.
func TestMoveStopsWhenToldTo(t *testing.T) {
	t.Parallel()
	for at := 1; ; at += stride() {
		ended := false
		synctest.Test(t, func(t *testing.T) {
			m, p := decorated()
			before := m.settings()
			ledger := &memory{}
			ctx, cancel := context.WithCancelCause(t.Context())
			told := errors.New("told to stop")
			n, alters := 0, 0
			m.fault = func(request string) error {
				if n++; n == at {
					cancel(told)
				}
				if n > at && request == "alter" {
					alters++
				}
				return nil
			}
			o := Options{BytesPerSec: 1e6}
			err := New(m.ports(), ledger, nil, o, nil).Move(ctx, p)
			if ended = err == nil; ended {
				return
			}
			if !errors.Is(err, told) {
				t.Errorf("got %v, want it to say why", err)
			}
			if alters > 0 {
				t.Errorf("%d reassignments were requested after the end", alters)
			}
			wantCovered(t, m, ledger, err)
			m.fault = nil
			o.Own = p.Moves
			if err := New(m.ports(), ledger, ledger.book.Open(), o, nil).Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantClean(t, m, ledger, before)
		})
		if ended {
			break
		}
		if t.Failed() {
			t.Fatalf("told at request %d", at)
		}
	}
}

// wantCovered fails unless each debt covers a move in flight, and the error
// names exactly those moves.
func wantCovered(t *testing.T, m *model, ledger *memory, err error) {
	t.Helper()
	listed, _ := m.InFlight(context.Background())
	var inFlight []plan.TopicPartition
	for _, f := range listed {
		inFlight = append(inFlight, f.TopicPartition)
	}
	var left *InFlightError
	if errors.As(err, &left) != (len(inFlight) > 0) || left != nil && !slices.Equal(left.Partitions, inFlight) {
		t.Errorf("got %v, while %v are in flight", err, inFlight)
	}
	for _, d := range ledger.book.Open() {
		for _, e := range d.Entries {
			if !slices.ContainsFunc(inFlight, func(tp plan.TopicPartition) bool {
				return OfTopic(tp.Topic) == d.Resource && slices.Contains([]string{entry(tp.Partition, 1), entry(tp.Partition, 2), entry(tp.Partition, 3), entry(tp.Partition, 4), entry(tp.Partition, 5)}, e)
			}) {
				t.Errorf("%v: entry %s covers nothing in flight (%v)", d, e, inFlight)
			}
		}
		if len(inFlight) == 0 {
			t.Errorf("%v covers nothing", d)
		}
	}
}

// Requests fail, or their answers get lost, at random: the run ends the same.
func TestMoveEndsThroughFaults(t *testing.T) {
	t.Parallel()
	for seed := range 60 {
		synctest.Test(t, func(t *testing.T) {
			m, p := decorated()
			before := m.settings()
			ledger := &memory{}
			r := rng(seed)
			m.fault = func(request string) error {
				if r.float() < 0.1 {
					return fmt.Errorf("%s: connection reset", request)
				}
				return nil
			}
			d := New(m.ports(), ledger, nil, Options{BytesPerSec: 1e6}, nil)
			err := d.Move(t.Context(), p)
			m.fault = nil
			if err = errors.Join(err, d.Settle(t.Context())); err != nil {
				t.Logf("seed %d: %v", seed, err) // the last payment may fail: it is made up for
			}
			wantMoved(t, m, ledger, p.Moves, before)
		})
	}
}
