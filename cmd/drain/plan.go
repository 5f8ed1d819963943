package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/urfave/cli/v2"

	"drain/executor"
	"drain/plan"
)

func planVerb() verb {
	return verb{
		name: "plan", args: "[RUNBOOK.yaml]", most: 1, keys: allKeys, formats: []string{"text", "json", "kafka", "html"},
		usage: "the moves, the bytes, the bounds and the findings; nothing is changed (--output text, json, kafka or html)",
		flags: []cli.Flag{
			snapshotFlag(),
			&cli.BoolFlag{Name: "rollback", Usage: "with --output kafka: the assignment as it is now, to go back to"},
			&cli.BoolFlag{Name: "all", Usage: "list every move, not only the first of each group"},
		},
		act: showPlan,
	}
}

func showPlan(ctx context.Context, s *session) error {
	if s.flags.Bool("rollback") && s.output != "kafka" { // or the way there would be taken for the way back
		return usageError{"--rollback is about the file of kafka-reassign-partitions: add --output kafka"}
	}
	rb, err := s.drained()
	if err != nil {
		return err
	}
	cluster, err := s.picture(ctx, rb)
	if err != nil {
		return err
	}
	p, err := plan.ComputeNaming(cluster, executor.PlanRequest(rb))
	if err != nil {
		return usageOf(err)
	}
	if err := s.writePlan(cluster, p); err != nil {
		return err
	}
	if s.output == "kafka" {
		writeKafkaLacks(s.stderr, p)
	}
	if len(p.Blocked()) > 0 {
		if s.output == "kafka" {
			writeFindings(s.stderr, s.paint, p.Blocked()) // the file on stdout has no place for them
		}
		return unsafeError{}
	}
	return nil
}

func (s *session) writePlan(c plan.Cluster, p plan.Plan) error {
	switch s.output {
	case "json":
		enc := json.NewEncoder(s.stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(p)
	case "kafka":
		return writeKafkaPlan(s.stdout, p, s.flags.Bool("rollback"))
	case "html":
		return writeHTMLPlan(s.stdout, c, p)
	}
	return writePlanText(s.stdout, painter(s.isTerminal(s.stdout) && bool(s.paint)), c, p, s.flags.Bool("all"))
}

// usageOf turns a request that cannot be meant into a usage error.
func usageOf(err error) error {
	var unknown *plan.UnknownBroker
	var invalid *plan.InvalidRequest
	if errors.As(err, &unknown) || errors.As(err, &invalid) {
		return usageError{err.Error()}
	}
	return err
}
