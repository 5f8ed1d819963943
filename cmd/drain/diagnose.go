package main

import (
	"context"
	"encoding/json"

	"github.com/urfave/cli/v2"

	"drain/plan"
)

func diagnoseVerb() verb {
	return verb{
		name: "diagnose", args: "[RUNBOOK.yaml]", most: 1, keys: clusterKeys,
		usage: "why each leaderless partition is leaderless now, and what would bring it back; changes nothing, and ends with 0 whatever it finds",
		flags: []cli.Flag{snapshotFlag()},
		act:   diagnose,
	}
}

// diagnose ends with 0 also where partitions have no leader: it is asked during
// an incident, where they are known, and what it found stands in the answer. 3
// stays the word of check, which scheduled jobs ask beforehand.
func diagnose(ctx context.Context, s *session) error {
	cluster, err := s.glance(ctx)
	if err != nil {
		return err
	}
	found := plan.Diagnose(&cluster)
	say := advice{bootstrap: addressOf(&cluster)}
	if s.output == "json" {
		out := json.NewEncoder(s.stdout)
		out.SetEscapeHTML(false) // commands are to be copied as they are
		return out.Encode(diagnosisDocument(&cluster, &found, say))
	}
	writeDiagnosis(s.stdout, painter(s.isTerminal(s.stdout) && bool(s.paint)), &cluster, &found, say)
	return nil
}

// glance is the cluster as it is now, or as it was saved, without what only a
// plan needs.
func (s *session) glance(ctx context.Context) (plan.Cluster, error) {
	if file := s.flags.String("snapshot"); file != "" {
		return readSnapshotFile(file)
	}
	rb, err := s.request()
	if err != nil {
		return plan.Cluster{}, err
	}
	t, err := s.dial(ctx, rb)
	if err != nil {
		return plan.Cluster{}, err
	}
	defer t.close()
	return t.Look(ctx)
}
