package executor

import (
	"context"
	"slices"
	"testing"
	"time"

	"drain/plan"
)

// The moves of another runbook's run that was interrupted were somebody else's,
// to be waited for.
func TestAForeignMoveOfAnotherRunbookIsNamed(t *testing.T) {
	t.Parallel()
	simulate(t, slow(), plainRunbook, func(r *rig) {
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(20*time.Second, cancel)
		_, err := r.runWith(ctx)
		r.wants(err, ErrInterrupted)
		client := r.dial()
		defer client.Close()
		other := r.config(client)
		other.Path, other.Runbook.Brokers = "/runbooks/broker-2.yaml", []int32{2}
		_, err = Run(r.Context(), other)
		r.wants(err, ErrRefused, "is being moved by somebody else", "it is a move of the run of /runbooks/broker-1.yaml", "`drain cancel /runbooks/broker-1.yaml`")
	})
}

// A run of another cluster with topics of the same names was told as the owner of
// a move, and whoever followed the remedy took back moves over there.
func TestAMoveIsNotThatOfARunOfAnotherCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pay := Partition{Topic: "pay", Partition: 2}
	for cluster, path := range map[string]string{"prod": "/b.yaml", "staging": "/a.yaml"} {
		writeJournal(t, FilesOf(dir, path), []Record{
			{Kind: KindHeader, Broker: none, Header: &Header{Version: JournalVersion, Run: "r", Cluster: cluster, Brokers: []int32{1}, Runbook: path}},
			{Kind: KindPlan, Broker: none, Plan: &PlanPart{Round: 1, Moves: []Move{{Partition: pay, Before: []int32{1}, After: []int32{2}, From: []int32{1}, To: []int32{2}}}}},
			{Kind: KindSubmit, Broker: none, Partitions: []Partition{pay}},
		})
	}
	r := newRun(Config{StateDir: dir, Path: "/mine.yaml"})
	for cluster, want := range map[string]string{
		"prod":    "bring that to its end with `drain run /b.yaml`, or take its moves back with `drain cancel /b.yaml`",
		"staging": "bring that to its end with `drain run /a.yaml`, or take its moves back with `drain cancel /a.yaml`",
		"other":   "",
	} {
		findings := []plan.Finding{{Risk: foreignRisk, Topic: "pay", Partition: 2}, {Risk: foreignRisk, Topic: "pay", Partition: 3}}
		r.nameOwners(cluster, findings)
		if got := []string{findings[0].Remedy, findings[1].Remedy}; !slices.Equal(got, []string{want, ""}) {
			t.Errorf("cluster %s: got %q, want %q", cluster, got, want)
		}
	}
}
