package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"drain/executor"
)

// withSignals ends the context at the first SIGINT or SIGTERM: nothing new
// begins, and what was owed is given back. The second one kills, as it would
// without us. A terminal that closes (SIGHUP) does not end a run under way, and
// nor does a reader of our output that went away (SIGPIPE).
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	// Caught and dropped, since children would inherit that we ignore them.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGPIPE)
	first := make(chan os.Signal, 1)
	signal.Notify(first, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case <-first:
			signal.Stop(first)
			cancel(executor.ErrInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(first)
		cancel(nil)
	}
}
