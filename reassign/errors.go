package reassign

import (
	"fmt"
	"strings"
	"time"

	"drain/plan"
)

// MoveError is a move that could not be made.
type MoveError struct {
	plan.TopicPartition
	Replicas []int32 // the target
	Err      error   // a [PartitionError] where Kafka refused it
}

// Error names the partition and the target.
func (e *MoveError) Error() string {
	return fmt.Sprintf("reassign %v to %v: %v", e.TopicPartition, e.Replicas, e.Err)
}

// Unwrap returns the cause.
func (e *MoveError) Unwrap() error { return e.Err }

// UnpaidError says that settings could not be given back. They are still owed.
type UnpaidError struct{ Debts []Unpaid } // sorted

// Unpaid is a setting that is still owed, and why.
type Unpaid struct {
	Debt
	Why error
}

// Error names every setting and why it could not be given back.
func (e *UnpaidError) Error() string {
	lines := make([]string, len(e.Debts))
	for i, d := range e.Debts {
		lines[i] = fmt.Sprintf("%v: %v", d.Debt, d.Why)
	}
	return fmt.Sprintf("still owed: %s", strings.Join(lines, "; "))
}

// Unwrap returns the causes.
func (e *UnpaidError) Unwrap() []error {
	whys := make([]error, len(e.Debts))
	for i, d := range e.Debts {
		whys[i] = d.Why
	}
	return whys
}

func (e *UnpaidError) add(d Debt, why error) { e.Debts = append(e.Debts, Unpaid{d, why}) }

// StallError says that nothing moved for a while.
type StallError struct {
	After time.Duration
	Stuck []Flight // sorted, each with its likely cause; may be empty
	Cause string   // where nothing is in flight: what was waited for
}

// Error names the partitions, what is left and why.
func (e *StallError) Error() string {
	if len(e.Stuck) == 0 {
		return fmt.Sprintf("no progress for %v: %s", e.After, e.Cause)
	}
	lines := make([]string, len(e.Stuck))
	for i, f := range e.Stuck {
		lines[i] = fmt.Sprintf("%v, %s left, %s", f.TopicPartition, plan.FormatBytes(f.Left), f.Why)
	}
	return fmt.Sprintf("no progress for %v: %s", e.After, strings.Join(lines, "; "))
}

// ForeignError says that somebody else's reassignments stand in the way.
type ForeignError struct{ Partitions []plan.TopicPartition }

// Error names the partitions and the remedy.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s reassigned by somebody else: wait for it to end, or cancel it there", listed(e.Partitions, "is", "are"))
}

// InFlightError says what goes on in Kafka when a move ends early.
type InFlightError struct {
	Partitions []plan.TopicPartition // still copied
	Kept       []Debt                // settings that cover them
	Err        error                 // why it ended
}

// Error names the cause and the partitions.
func (e *InFlightError) Error() string {
	return fmt.Sprintf("%v (%s still moved by Kafka, with %s kept)", e.Err, listed(e.Partitions, "is", "are"), plan.Count(len(e.Kept), "setting", "settings"))
}

// Unwrap returns why it ended.
func (e *InFlightError) Unwrap() error { return e.Err }

// listed names up to five partitions, and counts the rest.
func listed(of []plan.TopicPartition, one, many string) string {
	const most = 5
	var names []string
	for _, tp := range of[:min(most, len(of))] {
		names = append(names, tp.String())
	}
	s := strings.Join(names, ", ")
	if len(of) > most {
		s += fmt.Sprintf(" and %d more", len(of)-most)
	}
	if len(of) == 1 {
		return s + " " + one
	}
	return s + " " + many
}
