package executor

import (
	"slices"

	"drain/plan"
	"drain/reassign"
)

// partitionsPerRecord keeps lines short enough to be read by eye and far below
// what a reader takes.
const partitionsPerRecord = 1000

// ledger is the journal as package reassign needs it.
type ledger struct{ append func(Record) error }

// Owe records a setting that is about to be changed.
func (l ledger) Owe(d reassign.Debt) error {
	return l.append(Record{Kind: KindOwe, Debt: &d})
}

// Paid records that it was given back.
func (l ledger) Paid(d reassign.Debt) error {
	return l.append(Record{Kind: KindPaid, Debt: &d})
}

// Submit records reassignments that are about to be requested.
func (l ledger) Submit(of []plan.TopicPartition) error { return l.list(KindSubmit, of) }

// Moved records reassignments that are verified complete.
func (l ledger) Moved(of []plan.TopicPartition) error { return l.list(KindMoved, of) }

func (l ledger) list(kind Kind, of []plan.TopicPartition) error {
	for part := range slices.Chunk(of, partitionsPerRecord) {
		if err := l.append(Record{Kind: kind, Partitions: partitions(part)}); err != nil {
			return err
		}
	}
	return nil
}
