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
type ledger struct{ append func(...Record) error }

// Owe records settings that are about to be changed.
func (l ledger) Owe(debts ...reassign.Debt) error { return l.debts(KindOwe, debts) }

// Paid records that they were given back.
func (l ledger) Paid(debts ...reassign.Debt) error { return l.debts(KindPaid, debts) }

// debts records each by itself, and all of them with one wait for the disk.
func (l ledger) debts(kind Kind, debts []reassign.Debt) error {
	records := make([]Record, len(debts))
	for i := range debts {
		records[i] = Record{Kind: kind, Debt: &debts[i]}
	}
	return l.append(records...)
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
