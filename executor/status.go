package executor

import (
	"context"
	"fmt"
	"time"

	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

// Status is where the run of a runbook stands.
type Status struct {
	Journal string // path of the file
	Found   bool   // there is a journal; with none, nothing below is set
	Alive   bool   // a process works on it now
	Ended   string // how it ended; empty: it is open
	Header  Header
	Began   time.Time
	Last    time.Time // of the last record
	Steps   []StepStatus
	Next    runbooks.StepKind // what `run` would do next; empty where it has ended
	Done    Done

	Moves, MovesDone int                   // planned, and complete, as the cluster says if it was asked
	InFlight         []plan.TopicPartition // ours that Kafka still moves, if the cluster was asked
	Owed             []reassign.Debt       // settings still to be given back
	Kept             []reassign.Debt       // cordons of stopped brokers, which stay until a restore
	// Differences are where the cluster is not as the journal says.
	Differences []string
	// Unread is what of the cluster could not be read: with all of it, the rest is by
	// the journal alone.
	Unread []string
}

// StepStatus is how far a step is.
type StepStatus struct {
	Slot
	State string    // "done", "failed", "begun" or "open"
	At    time.Time // of its last record; zero if open
	Text  string    // how it ended
}

// ReadStatus reads the journal of a runbook and, where cfg has an Observer, the
// cluster. It changes nothing, and needs no other port. A cluster that cannot be
// read hides nothing of the journal: the error is for that, and for the end of ctx.
func ReadStatus(ctx context.Context, cfg Config) (Status, error) {
	files := FilesOf(cfg.StateDir, cfg.Path)
	s := Status{Journal: files.Journal()}
	records, err := Peek(files)
	if err != nil || len(records) == 0 {
		return s, err
	}
	if s.Alive, err = Alive(files); err != nil {
		return s, err
	}
	h := fold(records)
	s.Found, s.Header, s.Began, s.Last = true, h.header, records[0].Time, records[len(records)-1].Time
	if h.header.Verb == "" { // a restore takes none of the runbook's steps
		s.Steps = stepStates(cfg.Runbook, records)
	}
	s.Moves, s.MovesDone = len(h.moves), len(h.moved)
	s.Done = h.done(cfg.Runbook)
	s.Kept, s.Owed = h.debts()
	if ended(records) {
		s.Ended = records[len(records)-1].Text
	} else if s.Next = h.header.Verb; s.Next == "" {
		if !s.Alive { // the next process begins with looks of its own
			records = append(records, Record{N: len(records) + 1, Kind: KindResume, Header: &h.header})
		}
		s.Next = Next(cfg.Runbook, records).Kind
	}
	if cfg.Observer == nil {
		return s, nil
	}
	c, err := cfg.Observer.Snapshot(ctx, plan.Scope{Brokers: h.header.Brokers, Via: plan.AnyBroker})
	switch {
	case err != nil && context.Cause(ctx) != nil:
		return s, err
	case err != nil:
		s.Unread = append(s.Unread, "the cluster: "+err.Error())
	default:
		s.compare(&c, h)
	}
	return s, nil
}

func stepStates(rb runbooks.Runbook, records []Record) []StepStatus {
	at := map[slotKey]StepStatus{}
	for _, rec := range records {
		state := map[Kind]string{KindBegin: "begun", KindEnd: "done", KindFail: "failed"}[rec.Kind]
		if state != "" {
			at[slotKey{rec.Step, rec.Broker}] = StepStatus{State: state, At: rec.Time, Text: rec.Text}
		}
	}
	var all []StepStatus
	for _, slot := range slotsOf(rb) {
		s := at[slot.key()]
		if s.Slot = slot; s.State == "" {
			s.State = "open"
		}
		all = append(all, s)
	}
	return all
}

// compare says what the cluster knows better than the journal.
func (s *Status) compare(c *plan.Cluster, h *history) {
	if c.ID != h.header.Cluster {
		s.Differences = append(s.Differences, fmt.Sprintf("this is cluster %s, the run is about %s", c.ID, h.header.Cluster))
		return
	}
	for _, f := range plan.Blocking(h.withoutOwnRates(c.Notes)) {
		s.Unread = append(s.Unread, describe(f))
	}
	s.MovesDone += len(h.unseen(c))
	for _, m := range h.own() {
		if i, ok := c.Find(m.TopicPartition); ok && c.Partition(i).InFlight() {
			s.InFlight = append(s.InFlight, m.TopicPartition)
		}
	}
	for _, b := range s.Done.Stopped {
		if c.Live(b) {
			s.Differences = append(s.Differences, fmt.Sprintf("broker %d was stopped, and is alive", b))
		}
	}
	if h.header.Verb == restoring { // that they come again is what it is for
		return
	}
	for _, b := range h.header.Brokers {
		arrived := 0
		for i := range c.NumPartitions() {
			name := Partition(c.Name(i))
			if c.Partition(i).Holds(b) && !h.left[name] && h.moved[name] {
				arrived++
			}
		}
		if arrived > 0 {
			s.Differences = append(s.Differences, fmt.Sprintf("%s moved away from broker %d and there again", plan.Count(arrived, "replica was", "replicas were"), b))
		}
	}
}
