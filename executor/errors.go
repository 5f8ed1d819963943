package executor

import (
	"errors"
	"strings"

	"drain/plan"
)

// The reasons why a run ends before its time. Each has an exit code
// (README); what the journal says was done goes before it.
var (
	// ErrRefused is a refusal as unsafe, before any change (3). See [Refusal].
	ErrRefused = errors.New("refused as unsafe")
	// ErrUsage is something that the person who wrote the runbook or typed the
	// command must change (4).
	ErrUsage = errors.New("cannot be run like this")
	// ErrBlocked is a run that cannot go on, although something may have been
	// changed; the stop was not issued (5). See [Refusal].
	ErrBlocked = errors.New("blocked")
	// ErrDeadline is a run that took longer than its deadline (5).
	ErrDeadline = errors.New("past the deadline")
	// ErrDebt is a setting that could not be given back (5, or 7 after a stop).
	ErrDebt = errors.New("a setting could not be given back")
	// ErrJournal is an open journal that is locked or damaged, or belongs to
	// another cluster, broker or plan (6).
	ErrJournal = errors.New("an earlier run stands in the way")
	// ErrStop is a stop that was issued and failed, or a cluster that is worse
	// afterwards than was proven (7).
	ErrStop = errors.New("the stop failed")
	// ErrInterrupted is a run that a person ended; it can be resumed (130).
	ErrInterrupted = errors.New("interrupted")
	// ErrCancelled is a run that was ended by a cancel (130).
	ErrCancelled = errors.New("cancelled")

	// ErrNobody is a question that nobody can answer.
	ErrNobody = errors.New("there is nobody to ask")
	// ErrDeclined is a question that was answered with no.
	ErrDeclined = errors.New("declined")
)

// Refusal is a refusal or a block with the findings that it rests on. It wraps
// ErrRefused, ErrBlocked, ErrStop or, without findings, ErrUsage.
type Refusal struct {
	Kind     error
	Text     string
	Findings []plan.Finding // sorted; those of level Block first cause it
}

// Error is the text, then each finding on a line of its own.
func (r *Refusal) Error() string {
	var b strings.Builder
	b.WriteString(r.Text)
	for _, f := range r.Findings {
		b.WriteString("\n  ")
		b.WriteString(describe(f))
	}
	return b.String()
}

// Unwrap is the kind.
func (r *Refusal) Unwrap() error { return r.Kind }

// describe is a finding as one line.
func describe(f plan.Finding) string {
	s := f.Message
	if f.Topic != "" && !strings.Contains(s, f.Topic) {
		s = f.Topic + ": " + s
		if f.Partition >= 0 {
			s = plan.TopicPartition{Topic: f.Topic, Partition: f.Partition}.String() + s[len(f.Topic):]
		}
	}
	if f.Risk != "" {
		s = f.Risk + ": " + s
	}
	if f.Remedy != "" {
		s += " (" + f.Remedy + ")"
	}
	return s
}
