package main

import (
	"bufio"
	"context"

	"drain/plan"
)

func snapshotVerb() verb {
	return verb{
		name: "snapshot", args: "[RUNBOOK.yaml]", most: 1, keys: clusterKeys,
		usage: "the cluster as JSON, for plan, check and diagnose; with --broker N its logs are read in full",
		act: func(ctx context.Context, s *session) error {
			rb, err := s.request()
			if err != nil {
				return err
			}
			t, err := s.dial(ctx, rb)
			if err != nil {
				return err
			}
			defer t.close()
			cluster, err := t.snapshot(ctx, rb)
			if err != nil {
				return err
			}
			writeFindings(s.stderr, s.paint, cluster.Notes)
			w := bufio.NewWriter(s.stdout)
			if err := plan.WriteSnapshot(w, cluster); err != nil {
				return err
			}
			return w.Flush()
		},
	}
}
