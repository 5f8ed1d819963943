package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"drain/executor"
	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

func statusVerb() verb {
	return verb{
		name: "status", args: "RUNBOOK.yaml", most: 1, keys: allKeys,
		usage: "where a run stands, from journal and cluster, and what is still owed (exit 5 if something is)",
		act:   status,
	}
}

func status(ctx context.Context, s *session) error {
	rb, path, err := s.readRunbook()
	if err != nil {
		return err
	}
	st, err := s.readStatus(ctx, rb, path)
	if err != nil {
		return err
	}
	if s.output == "json" {
		err = json.NewEncoder(s.stdout).Encode(statusDocument(st))
	} else {
		writeStatus(s.stdout, st)
	}
	if err == nil && !st.Alive && len(st.Owed) > 0 {
		return owedError{giver(st)}
	}
	return err
}

// giver is the verb that gives back what is owed: after a stop that nobody saw
// end only the run itself may.
func giver(st executor.Status) string {
	for _, step := range st.Steps {
		if step.Kind == runbooks.Stop && step.State == "begun" {
			return "drain run, which sees to the stop that was begun,"
		}
	}
	return "drain cleanup"
}

// readStatus asks the cluster too where it can be reached and lets us in; a status
// without it is better than none. A cluster that the runbook does not mean is refused.
func (s *session) readStatus(ctx context.Context, rb runbooks.Runbook, path string) (executor.Status, error) {
	cfg := executor.Config{Runbook: rb, Path: path, StateDir: s.stateDir()}
	var unread []string
	if rb.Cluster.Simulated == "" {
		t, err := s.redial(ctx, rb, path)
		_, refused := errors.AsType[usageError](err)
		switch {
		case refused, err != nil && context.Cause(ctx) != nil:
			return executor.Status{}, err
		case err != nil:
			unread = append(unread, "the cluster: "+err.Error())
		default:
			defer t.close()
			cfg.Observer = t.Client
		}
	}
	st, err := executor.ReadStatus(ctx, cfg)
	st.Unread = append(st.Unread, unread...)
	return st, err
}

// statusJSON is the document of status.
type statusJSON struct {
	Journal     string           `json:"journal"`
	Found       bool             `json:"found"`
	Alive       bool             `json:"alive"`
	Ended       string           `json:"ended,omitempty"`
	Brokers     []int32          `json:"brokers"`
	Began       *time.Time       `json:"began,omitempty"`
	Last        *time.Time       `json:"last,omitempty"`
	Next        string           `json:"next,omitempty"`
	Steps       []stepStatusJSON `json:"steps"`
	Moves       int              `json:"moves"`
	MovesDone   int              `json:"movesDone"`
	InFlight    []string         `json:"inFlight"`
	Owed        []string         `json:"owed"`
	Kept        []string         `json:"kept"` // cordons that stay until a restore
	Cordoned    []int32          `json:"cordoned"`
	Differences []string         `json:"differences"`
	Unread      []string         `json:"unread"`
}

type stepStatusJSON struct {
	Step  string `json:"step"`
	State string `json:"state"`
	Text  string `json:"text,omitempty"`
}

func statusDocument(st executor.Status) statusJSON {
	doc := statusJSON{
		Journal: st.Journal, Found: st.Found, Alive: st.Alive, Ended: st.Ended, Brokers: listed(st.Header.Brokers),
		Next: string(st.Next), Moves: st.Moves, MovesDone: st.MovesDone, Cordoned: listed(st.Done.Cordoned),
		Steps: []stepStatusJSON{}, InFlight: []string{}, Owed: []string{}, Kept: []string{}, Differences: append([]string{}, st.Differences...),
		Unread: append([]string{}, st.Unread...),
	}
	if st.Found {
		doc.Began, doc.Last = &st.Began, &st.Last
	}
	for _, step := range st.Steps {
		doc.Steps = append(doc.Steps, stepStatusJSON{slotText(step.Slot), step.State, step.Text})
	}
	for _, tp := range st.InFlight {
		doc.InFlight = append(doc.InFlight, tp.String())
	}
	doc.Owed, doc.Kept = append(doc.Owed, debtTexts(st.Owed)...), append(doc.Kept, debtTexts(st.Kept)...)
	return doc
}

func slotText(slot executor.Slot) string {
	if slot.Broker >= 0 {
		return fmt.Sprintf("%s %d", slot.Kind, slot.Broker)
	}
	return string(slot.Kind)
}

func writeStatus(w io.Writer, st executor.Status) {
	if !st.Found {
		fmt.Fprintf(w, "No run of this runbook is known (%s).\n", st.Journal)
		writeList(w, "could not be read", st.Unread)
		return
	}
	fmt.Fprintf(w, "%s of %s, begun %s: %s\n", cmp.Or(string(st.Header.Verb), "drain"), plan.BrokerNames(st.Header.Brokers), st.Began.Format(time.DateTime), standing(st))
	fmt.Fprintf(w, "%d of %s moved\n\n", st.MovesDone, plan.Count(st.Moves, "replica list", "replica lists"))
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, step := range st.Steps {
		fmt.Fprintf(tw, "  %s\t%s\t%s\n", slotText(step.Slot), step.State, strings.ReplaceAll(step.Text, "\n", "; "))
	}
	tw.Flush()
	writeList(w, "in flight in Kafka", partitionNames(st))
	writeList(w, "still owed", debtTexts(st.Owed))
	writeList(w, "kept until `drain restore`", debtTexts(st.Kept))
	writeList(w, "the cluster is not as the journal says", st.Differences)
	writeList(w, "could not be read", st.Unread)
	fmt.Fprintf(w, "\njournal: %s\n", st.Journal)
}

// standing is how a run stands, in one line: how it ended, or why it does not go
// on and what goes on with it.
func standing(st executor.Status) string {
	resume := fmt.Sprintf("`drain run` goes on with %s", st.Next)
	if st.Header.Verb != "" {
		resume = fmt.Sprintf("`drain %s` goes on", st.Header.Verb)
	}
	failed := slices.IndexFunc(st.Steps, func(s executor.StepStatus) bool { return s.State == "failed" })
	switch {
	case st.Ended != "":
		return "ended, " + st.Ended
	case st.Alive:
		return "a process works on it"
	case st.Done.Watching:
		return fmt.Sprintf("%s stopped, and not watched to the end; %s", sentence(st.Done.Stopped), resume)
	case failed >= 0 && st.Done.StopBegun:
		return fmt.Sprintf("failed in %s, with a stop issued; %s", slotText(st.Steps[failed].Slot), resume)
	case failed >= 0:
		return fmt.Sprintf("failed in %s; %s", slotText(st.Steps[failed].Slot), resume)
	}
	return "interrupted; " + resume
}

func debtTexts(debts []reassign.Debt) []string {
	var texts []string
	for _, d := range debts {
		text := d.String()
		if past := d.Past(); past != "" {
			text += ": " + past
		}
		texts = append(texts, text)
	}
	return texts
}

func partitionNames(st executor.Status) []string {
	var names []string
	for _, tp := range st.InFlight {
		names = append(names, tp.String())
	}
	return names
}

func writeList(w io.Writer, title string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n%s:\n  %s\n", title, strings.ReplaceAll(strings.Join(lines, "\n"), "\n", "\n  "))
	}
}
