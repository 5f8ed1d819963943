package reassign

import (
	"fmt"
	"testing"
	"time"

	"drain/plan"
)

// memory is a ledger in memory, that can be made to fail or to kill the run.
type memory struct {
	book    Book
	records []string
	whys    []string               // of the debts that have a reason
	crash   func(record int) error // called after each record
}

func (l *memory) add(format string, a ...any) error {
	l.records = append(l.records, fmt.Sprintf(format, a...))
	if l.crash != nil {
		return l.crash(len(l.records))
	}
	return nil
}

func (l *memory) Owe(debts ...Debt) error {
	for _, d := range debts {
		l.book.Owe(d)
		if d.Why != "" {
			l.whys = append(l.whys, fmt.Sprintf("%v %s: %s", d, d.Set, d.Why))
		}
	}
	return l.add("owe %v", debts)
}

func (l *memory) Paid(debts ...Debt) error {
	for _, d := range debts {
		l.book.Paid(d)
	}
	return l.add("paid %v", debts)
}

func (l *memory) Submit(of []plan.TopicPartition) error { return l.add("submit %v", of) }
func (l *memory) Moved(of []plan.TopicPartition) error  { return l.add("moved %v", of) }

// logging reports events as test output.
func logging(t *testing.T) func(Event) {
	start := time.Now()
	return func(e Event) {
		if e.Kind != Progressed {
			t.Logf("%8v %-10s %s", time.Since(start).Round(time.Millisecond), e.Kind, e.Text)
		}
	}
}
