package reassign

import (
	"maps"
	"slices"
)

// Book is the debts that are open, at most one for each setting. The zero value
// is an empty book. A replay of the journal through Owe and Paid gives the book
// as it stood when the last record was written.
type Book struct{ open map[setting]Debt }

// Owe adds a debt. What was there before the first of several debts on one
// setting is kept: that is what has to be there at the end. A value that somebody
// else has put there since takes its place.
func (b *Book) Owe(d Debt) {
	if b.open == nil {
		b.open = map[setting]Debt{}
	}
	old, ok := b.open[d.setting()]
	if !ok {
		b.open[d.setting()] = d
		return
	}
	if len(d.Entries) > 0 {
		old.Entries = union(old.Entries, d.Entries)
	} else {
		if old.foreign(d.Before) {
			old.Before, old.Layer, old.InForce = d.Before, d.Layer, d.InForce
		}
		old.Was = union(old.Was, append([]string{old.Set}, d.Was...))
		old.Set, old.Why = d.Set, d.Why
	}
	b.open[d.setting()] = old
}

// Paid takes a debt out: the entries named, or the value. A debt that is not
// there is no error, since a record may be written twice around a crash.
func (b *Book) Paid(d Debt) {
	old, ok := b.open[d.setting()]
	if !ok {
		return
	}
	old.Entries = without(old.Entries, d.Entries)
	if len(d.Entries) > 0 && len(old.Entries) > 0 {
		b.open[d.setting()] = old
		return
	}
	delete(b.open, d.setting())
}

// Open returns the debts that are open, sorted by resource and key.
func (b *Book) Open() []Debt {
	debts := make([]Debt, 0, len(b.open))
	for _, s := range slices.SortedFunc(maps.Keys(b.open), compareSettings) {
		debts = append(debts, b.open[s])
	}
	return debts
}

func (b *Book) of(s setting) (Debt, bool) {
	d, ok := b.open[s]
	return d, ok
}

// union returns a followed by what only b has; neither is changed.
func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// without returns what only a has, in its order.
func without[T comparable](a, b []T) []T {
	var out []T
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}
