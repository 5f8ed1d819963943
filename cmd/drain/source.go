package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"drain/plan"
	"drain/runbooks"
)

// snapshotFlag lets a verb read a cluster that was saved.
func snapshotFlag() cli.Flag {
	return &cli.StringFlag{Name: "snapshot", Usage: "read the cluster from this `FILE` (drain snapshot) instead of asking one"}
}

// picture is the cluster that a read-only verb looks at: a saved snapshot, or
// the one that the runbook or the flags name.
func (s *session) picture(ctx context.Context, rb runbooks.Runbook) (plan.Cluster, error) {
	if file := s.flags.String("snapshot"); file != "" {
		c, err := readSnapshotFile(file)
		if err != nil {
			return c, err
		}
		return c, belongs(rb, c.ID)
	}
	t, err := s.dial(ctx, rb)
	if err != nil {
		return plan.Cluster{}, err
	}
	defer t.close()
	return t.snapshot(ctx, rb)
}

func readSnapshotFile(name string) (plan.Cluster, error) {
	f, err := os.Open(name)
	if err != nil {
		return plan.Cluster{}, usageError{err.Error()}
	}
	defer f.Close()
	defer collectLater(f)()
	c, err := plan.ReadSnapshot(f)
	if err != nil {
		return plan.Cluster{}, usageError{fmt.Sprintf("snapshot %s: %v", name, err)}
	}
	return c, nil
}

// collectLater stops the garbage collector while a file is read, and returns what
// starts it again. What reading leaves behind is not twice the size of the file, and
// to look for it again and again took a seventh of the time of a plan. A file too
// large for that is read as ever, and so is a pipe, which does not tell its size.
func collectLater(f *os.File) (again func()) {
	const most = 256 << 20 // bytes
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return func() {}
	}
	percent := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(percent) }
}

// drained is the request with at least one broker in it.
func (s *session) drained() (runbooks.Runbook, error) {
	rb, err := s.request()
	if err == nil && len(rb.Brokers) == 0 {
		err = usageError{"which broker? Give a runbook, or --broker N[,N]"}
	}
	return rb, err
}
