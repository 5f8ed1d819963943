package main

import (
	"context"
	"fmt"
	"io"

	"drain/executor"
)

// sweep is a cleanup without a journal. It may do without a runbook.
func (s *session) sweep(ctx context.Context) error {
	rb, err := s.drained()
	if err != nil {
		return err
	}
	if rb.Cluster.Simulated != "" {
		return errNothingStays
	}
	path := ""
	if s.flags.NArg() > 0 {
		if path, err = s.runbookPath(); err != nil {
			return err
		}
	}
	t, err := s.dial(ctx, rb)
	if err != nil {
		return err
	}
	defer t.close()
	return s.carry(s.config(t, rb, path), func(cfg executor.Config) (executor.Done, error) {
		return executor.Sweep(ctx, cfg)
	}, writeSwept)
}

func writeSwept(w io.Writer, done executor.Done) {
	if !done.Changed {
		fmt.Fprintln(w, "Nothing to clear.")
		return
	}
	fmt.Fprintln(w, "Cancelled and cleared; what was left alone is named above.")
}

// errNothingStays refuses a verb that gives back what a run has left.
var errNothingStays = usageError{"a simulated cluster ends with its run: there is nothing to give back"}
