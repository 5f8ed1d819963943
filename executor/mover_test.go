package executor

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"drain/reassign"
)

// The tests of whole runs once had a mover of their own, which no key of the
// runbook but four reached.
func TestWhatTheRunbookSaysOfMovesReachesTheMover(t *testing.T) {
	t.Parallel()
	const text = plainRunbook + `
maxInFlight: 7
maxInFlightPerBroker: 3
poll: 2s
stallAfter: 4m
waitForForeign: 5m
diskHeadroom: 0.3
acceptRisks: [foreign-throttle, hidden-throttle]
`
	s := incident()
	s.ZooKeeper, s.Release = true, "3.9"
	simulate(t, s, text, func(r *rig) {
		client := r.dial()
		defer client.Close()
		cfg := r.config(client)
		cfg.Runbook.Throttle.Adaptive = true
		stop := errors.New("enough is known")
		var got reassign.Options
		cfg.NewMover = func(in MoverInput) Mover { got = in.Options; return givingUp{err: stop} }
		_, err := Run(r.Context(), cfg)
		r.wants(err, stop)
		want := reassign.Options{
			BytesPerSec: 10e6, Adaptive: true, MaxInFlight: 7, MaxInFlightPerBroker: 3,
			Poll: 2 * time.Second, StallAfter: 4 * time.Minute, WaitForForeign: 5 * time.Minute, DiskHeadroom: 0.3,
			AcceptForeignThrottle: true, ForgetHiddenThrottle: true, ZooKeeper: true,
		}
		if got.Start == nil || got.Replan == nil {
			r.Errorf("the mover knows no start (%v), or nobody who plans anew", got.Start)
		}
		if got.Start, got.Replan = nil, nil; !reflect.DeepEqual(got, want) {
			r.Errorf("got %+v, want %+v", got, want)
		}
	})
}
