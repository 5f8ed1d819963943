package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v2"

	"drain/plan"
)

func checkVerb() verb {
	return verb{
		name: "check", args: "[RUNBOOK.yaml]", most: 1, keys: allKeys,
		usage: "what if these brokers died now: the offline election, without any move",
		flags: []cli.Flag{
			snapshotFlag(),
			&cli.BoolFlag{Name: "all", Usage: "list every partition, the unaffected ones too"},
		},
		act: check,
	}
}

func check(ctx context.Context, s *session) error {
	rb, err := s.drained()
	if err != nil {
		return err
	}
	cluster, err := s.picture(ctx, rb)
	if err != nil {
		return err
	}
	if err := plan.CheckBrokers(&cluster, rb.Brokers); err != nil {
		return usageError{err.Error()}
	}
	report := plan.Check(&cluster, rb.Brokers)
	safe := report.Safe(rb.AcceptRisks...)
	all := s.flags.Bool("all")
	if s.output == "json" {
		if err := json.NewEncoder(s.stdout).Encode(checkDocument(&report, safe, all)); err != nil {
			return err
		}
	} else {
		writeCheck(s.stdout, painter(s.isTerminal(s.stdout) && bool(s.paint)), &report, safe, all)
	}
	if !safe {
		return unsafeError{}
	}
	return nil
}

// checkJSON is the document of drain check.
type checkJSON struct {
	Brokers    []int32        `json:"brokers"`
	Safe       bool           `json:"safe"`
	Partitions []checkRow     `json:"partitions"`
	Counts     checkCounts    `json:"counts"`
	OnStop     []checkRow     `json:"onStop,omitempty"` // where a controlled shutdown ends otherwise than a crash
	Warnings   []plan.Finding `json:"warnings"`
}

type checkRow struct {
	Topic       string  `json:"topic"`
	Partition   int32   `json:"partition"`
	Leader      int32   `json:"leader"`
	LeaderAfter int32   `json:"leaderAfter"`
	ISRAfter    []int32 `json:"isrAfter"`
	ELRAfter    []int32 `json:"elrAfter"`
	Outcome     string  `json:"outcome"`
	MinISR      int     `json:"minIsr"`
	Reason      string  `json:"reason"`
}

type checkCounts struct {
	Partitions  int `json:"partitions"`
	Unaffected  int `json:"unaffected"`
	Elected     int `json:"elected"`
	Leaderless  int `json:"leaderless"`
	Unclean     int `json:"unclean"`
	UnderMinISR int `json:"underMinIsr"`
	AtMinISR    int `json:"atMinIsr"`
}

func checkDocument(r *plan.Report, safe, all bool) checkJSON {
	n := r.Counts
	doc := checkJSON{
		Brokers: r.Brokers, Safe: safe, Partitions: []checkRow{}, Warnings: r.Warnings,
		Counts: checkCounts{n.Partitions, n.Unaffected, n.Elected, n.Leaderless, n.Unclean, n.UnderMinISR, n.AtMinISR},
	}
	if doc.Warnings == nil {
		doc.Warnings = []plan.Finding{}
	}
	for p := range rows(r, all) {
		doc.Partitions = append(doc.Partitions, rowOf(p))
	}
	for _, p := range r.OnStop {
		doc.OnStop = append(doc.OnStop, rowOf(p))
	}
	return doc
}

func rowOf(p plan.Prediction) checkRow {
	return checkRow{
		Topic: p.Topic, Partition: p.Partition, Leader: p.Leader, LeaderAfter: p.After.Leader,
		ISRAfter: listed(p.After.ISR), ELRAfter: listed(p.After.ELR),
		Outcome: p.After.Outcome.String(), MinISR: p.After.MinISR, Reason: p.After.Reason(),
	}
}

// listed is the list, never null in JSON.
func listed(ids []int32) []int32 {
	if ids == nil {
		return []int32{}
	}
	return ids
}

// lossOf begins a sentence about the loss of brokers.
func lossOf(ids []int32) string {
	if len(ids) == 1 {
		return fmt.Sprintf("If broker %d died now", ids[0])
	}
	return fmt.Sprintf("If %s died now, all at once", plan.BrokerNames(ids))
}
