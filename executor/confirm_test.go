package executor

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"drain/plan"
)

// deaf is a cluster that stops answering one of the two questions of a watch.
type deaf struct {
	Observer
	Watcher
	who, how atomic.Bool // is not answered any more
}

var errDeaf = errors.New("nobody answers")

func (d *deaf) Snapshot(ctx context.Context, s plan.Scope) (plan.Cluster, error) {
	if d.how.Load() {
		return plan.Cluster{}, errDeaf
	}
	return d.Observer.Snapshot(ctx, s)
}

func (d *deaf) BrokersSeenBy(ctx context.Context, via int32) ([]int32, error) {
	if d.who.Load() {
		return nil, errDeaf
	}
	return d.Watcher.BrokersSeenBy(ctx, via)
}

// An answer to one question was taken for one to the other: a watch whose pictures
// failed while brokers answered never ended.
func TestTheWatchEndsWhenOneOfItsQuestionsIsNotAnswered(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		quiet func(*deaf, bool)
	}{
		{"no pictures", func(d *deaf, quiet bool) { d.how.Store(quiet) }},
		{"nobody says who is there", func(d *deaf, quiet bool) { d.who.Store(quiet) }},
		{"neither", func(d *deaf, quiet bool) { d.how.Store(quiet); d.who.Store(quiet) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			simulate(t, incident(), plainRunbook, func(r *rig) {
				took, err := r.deafInTheWatch(tc.quiet, 0)
				r.wants(err, ErrStop, "no longer answers", errDeaf.Error())
				if took < blindFor || took > blindFor+healthEvery {
					r.Errorf("it took %v, want %v", took, blindFor)
				}
			})
			// It answers again, just after the watch should have been over.
			simulate(t, incident(), plainRunbook, func(r *rig) {
				took, err := r.deafInTheWatch(tc.quiet, 25*time.Second)
				if err != nil || took < 25*time.Second || took > 30*time.Second {
					r.Errorf("got %v after %v, want a watch that waits for an answer", err, took)
				}
			})
		})
	}
}

// deafInTheWatch runs on a cluster that stops answering when the watch begins, for
// a while, or for good (0). It returns how the run ended, and how long that was
// after its watch had begun.
func (r *rig) deafInTheWatch(quiet func(*deaf, bool), length time.Duration) (took time.Duration, err error) {
	r.Helper()
	client := r.dial()
	defer client.Close()
	cfg := r.config(client)
	d := &deaf{Observer: cfg.Observer, Watcher: cfg.Watcher}
	cfg.Observer, cfg.Watcher = d, d
	var began time.Time
	r.onEvent = func(ev Event) {
		if ev.Kind != EventProgress || ev.Step != "confirm" || !began.IsZero() {
			return
		}
		began = time.Now()
		quiet(d, true)
		if length > 0 {
			time.AfterFunc(length, func() { quiet(d, false) })
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), 3*time.Hour)
	defer cancel()
	_, err = Run(ctx, cfg)
	return time.Since(began), err
}
