package main

import (
	"time"

	"drain/plan"
)

// diagnosisJSON is the document of drain diagnose.
type diagnosisJSON struct {
	TakenAt    *time.Time      `json:"takenAt,omitempty"`
	Partitions int             `json:"partitions"`
	Leaderless []stuckJSON     `json:"leaderless"`
	Counts     diagnosisCounts `json:"counts"`
	Warnings   []plan.Finding  `json:"warnings"`
}

type diagnosisCounts struct {
	Leaderless         int `json:"leaderless"`
	UnderMinISR        int `json:"underMinIsr"`
	AtMinISR           int `json:"atMinIsr"`
	UnderReplicated    int `json:"underReplicated"`
	PreferredElsewhere int `json:"preferredElsewhere"`
}

type stuckJSON struct {
	Topic     string     `json:"topic"`
	Partition int32      `json:"partition"`
	Since     *time.Time `json:"since,omitempty"`
	Replicas  []copyJSON `json:"replicas"`
	Cures     []cureJSON `json:"cures"`
}

type copyJSON struct {
	Broker    int32  `json:"broker"`
	State     string `json:"state"`
	InISR     bool   `json:"inIsr"`
	InELR     bool   `json:"inElr"`
	LastKnown bool   `json:"lastKnownLeader"`
}

type cureJSON struct {
	Action     string   `json:"action"`
	Broker     *int32   `json:"broker,omitempty"`
	StartFirst bool     `json:"startFirst,omitempty"`
	Loses      string   `json:"loses"`
	AfterCrash string   `json:"afterCrash,omitempty"`
	Text       string   `json:"text"`
	Commands   []string `json:"commands,omitempty"`
}

func diagnosisDocument(c *plan.Cluster, d *plan.Diagnosis, say advice) diagnosisJSON {
	doc := diagnosisJSON{
		TakenAt: timeOrNil(c.TakenAt), Partitions: d.Partitions, Leaderless: []stuckJSON{}, Warnings: d.Notes,
		Counts: diagnosisCounts{len(d.Leaderless), d.UnderMinISR.Count, d.AtMinISR.Count, d.UnderReplicated.Count, d.LedElsewhere.Count},
	}
	if doc.Warnings == nil {
		doc.Warnings = []plan.Finding{}
	}
	for i := range d.Leaderless {
		doc.Leaderless = append(doc.Leaderless, stuckRow(&d.Leaderless[i], say))
	}
	return doc
}

func stuckRow(s *plan.Stuck, say advice) stuckJSON {
	row := stuckJSON{Topic: s.Topic, Partition: s.Partition, Since: timeOrNil(s.Since)}
	for _, r := range s.Replicas {
		row.Replicas = append(row.Replicas, copyJSON{r.Broker, r.Health.String(), r.InSync, r.Eligible, r.LastKnown})
	}
	for _, c := range s.Cures {
		cure := cureJSON{Action: c.Action.String(), StartFirst: c.Down, Loses: c.Loss.String(), Text: say.says(s, c), Commands: say.commands(s, c)}
		if c.Broker != plan.NoLeader {
			cure.Broker = &c.Broker
		}
		if c.AfterCrash != plan.Trusted {
			cure.AfterCrash = c.AfterCrash.String()
		}
		row.Cures = append(row.Cures, cure)
	}
	return row
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
