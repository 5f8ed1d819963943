package reassign

import (
	"context"
	"errors"
	"time"
)

// patience is how long requests may fail in a row.
const patience = 2 * time.Minute

// fatal is an error that trying again would not change.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

func isFatal(err error) bool {
	_, ok := errors.AsType[fatal](err)
	return ok
}

// patiently does something again and again until it is over, or fatal. Requests
// get lost, and a controller is elected anew: other errors are told, and borne for
// as long as patience lasts. Wait says how long to wait after something that took
// so long.
func (d *Driver) patiently(ctx context.Context, wait func(took time.Duration) time.Duration, do func() (over bool, err error)) error {
	var failing time.Time
	for {
		began := time.Now()
		over, err := do()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil && over, isFatal(err):
			return err
		case err == nil:
			failing = time.Time{}
		default:
			if failing.IsZero() {
				failing = time.Now()
			}
			if time.Since(failing) > patience {
				return fatal{err} // whoever waits for this in turn has waited as long
			}
			d.report(Event{Kind: Retried, Broker: -1, Text: err.Error()})
		}
		if err := sleep(ctx, wait(time.Since(began))); err != nil {
			return err
		}
	}
}

// eachPoll waits from one thing to the next.
func (d *Driver) eachPoll(time.Duration) time.Duration { return d.opts.Poll }
