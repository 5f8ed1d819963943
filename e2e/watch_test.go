package e2e_test

import (
	"context"
	"sync"
	"testing"
	"time"
)

// watch calls look at once and then again and again, beside the test, until stop
// is called or the test ends. Stop waits for the last look, and may be called
// again. Look must not end the test, which only the test's own goroutine may do.
func watch(t *testing.T, every time.Duration, look func(context.Context)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for ctx.Err() == nil {
			look(ctx)
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	})
	stop = func() { cancel(); done.Wait() }
	t.Cleanup(stop)
	return stop
}
