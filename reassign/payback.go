package reassign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// giveBack pays every debt that the wish does not need, as far as may allows.
// A list entry is subtracted, a value is put back as it was, a list left empty
// is deleted if there was none. What somebody else has changed meanwhile is
// theirs and stays. The debts that could not be paid are returned as an
// [UnpaidError].
func (s *settings) giveBack(ctx context.Context, w wish, live func(int32) bool, may func(Debt) bool) error {
	var due []Debt
	unpaid := &UnpaidError{}
	for _, d := range s.due(w, may) {
		if b := d.Resource.Broker(); b >= 0 && !live(b) {
			unpaid.add(d, downError(b))
			continue
		}
		due = append(due, d)
	}
	if err := s.pay(ctx, due, unpaid); err != nil {
		return err
	}
	if len(unpaid.Debts) == 0 {
		return nil
	}
	slices.SortFunc(unpaid.Debts, func(a, b Unpaid) int { return compareSettings(a.setting(), b.setting()) })
	return unpaid
}

// downError is a broker that is not there to take a setting.
type downError int32

func (e downError) Error() string { return fmt.Sprintf("broker %d is not live", int32(e)) }

// stays says that nothing but brokers that are down, and refusals that trying again
// will not change, keeps debts open.
func stays(err error) bool {
	unpaid, ok := errors.AsType[*UnpaidError](err)
	return ok && !slices.ContainsFunc(unpaid.Debts, func(u Unpaid) bool {
		_, down := errors.AsType[downError](u.Why)
		return !down && !isHopeless(u.Why)
	})
}

// due lists what the wish does not need: whole debts, or entries of them.
func (s *settings) due(w wish, may func(Debt) bool) []Debt {
	wants := w.wants()
	var due []Debt
	for _, d := range s.book.Open() {
		if !may(d) || w.keep != nil && w.keep(d.setting()) {
			continue
		}
		want, wanted := wants[d.setting()]
		if len(d.Entries) > 0 {
			d.Entries = without(d.Entries, want.entries)
			wanted = len(d.Entries) == 0
		}
		if !wanted {
			due = append(due, d)
		}
	}
	return due
}

// pay gives back, in two rounds: entries and values, then the lists that the
// first round may have left empty.
func (s *settings) pay(ctx context.Context, due []Debt, unpaid *UnpaidError) error {
	due, seen, err := s.undo(ctx, due, nil, restore, unpaid)
	if err != nil {
		return err
	}
	var lists, over []Debt
	for _, d := range due {
		if len(d.Entries) > 0 && d.Before == nil {
			lists = append(lists, d)
		} else {
			over = append(over, d)
		}
	}
	if err := s.paid(over); err != nil {
		return err
	}
	if lists, _, err = s.undo(ctx, lists, seen, remove, unpaid); err != nil {
		return err
	}
	return s.paid(lists)
}

// undo makes the change that each debt needs, given what was read just now of
// some resources. It returns the debts that need no more of this kind, and what
// it saw itself; the others are added to unpaid.
func (s *settings) undo(ctx context.Context, due []Debt, fresh configs, change func(Debt, *string) *Change, unpaid *UnpaidError) ([]Debt, configs, error) {
	unseen := map[setting]bool{}
	for _, d := range due {
		if _, ok := fresh[d.Resource]; !ok {
			unseen[d.setting()] = true
		}
	}
	have, err := s.read(ctx, resources(unseen))
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(have, fresh)
	var changes []Change
	for _, d := range due {
		if c := change(d, have.value(d.setting())); c != nil && have[d.Resource].Err == nil {
			changes = append(changes, *c)
		}
	}
	failed, seen, err := s.change(ctx, changes)
	if err != nil {
		return nil, nil, err
	}
	return s.sift(due, have, failed, unpaid), seen, nil
}

// restore is the change that undoes a debt, or nil if there is nothing to undo.
func restore(d Debt, value *string) *Change {
	c := &Change{Resource: d.Resource, Key: d.Key}
	if len(d.Entries) > 0 {
		c.Op, c.Value = Subtract, join(present(text(value), d.Entries))
		if c.Value == "" {
			return nil
		}
		return c
	}
	if same(value, d.Before) || value != nil && !d.ours(*value) {
		return nil
	}
	if c.Op = Delete; d.Before != nil {
		c.Op, c.Value = Set, *d.Before
	}
	return c
}

// remove is the change that deletes a list that was left empty: SUBTRACT of the
// last entry leaves an empty value, not none.
func remove(d Debt, value *string) *Change {
	if len(d.Entries) == 0 || d.Before != nil || value == nil || *value != "" {
		return nil
	}
	return &Change{Resource: d.Resource, Key: d.Key, Op: Delete}
}

// sift returns what is still on the way to be paid; the rest is added to unpaid.
// A topic that is gone took its settings along.
func (s *settings) sift(due []Debt, have configs, failed made, unpaid *UnpaidError) []Debt {
	return slices.DeleteFunc(due, func(d Debt) bool {
		err := failed[d.setting()]
		if err == nil {
			err = have[d.Resource].Err
		}
		if err == nil || gone(err) {
			return false
		}
		unpaid.add(d, err)
		return true
	})
}

func gone(err error) bool {
	refused, ok := errors.AsType[ChangeError](err)
	return errors.Is(err, ErrGone) || ok && refused.Code == codeUnknownTopic
}

func (s *settings) paid(due []Debt) error {
	if len(due) == 0 {
		return nil
	}
	if err := s.ledger.Paid(due...); err != nil {
		return fatal{err}
	}
	for _, d := range due {
		s.book.Paid(d)
		if _, open := s.book.of(d.setting()); !open {
			delete(s.stood, d.setting())
		}
		s.report(Event{Kind: Repaid, Broker: d.Resource.Broker(), Debt: &d, Text: "gave back " + d.String()})
	}
	return nil
}

// target is what the debt puts there, in words.
func (d Debt) target() string {
	if len(d.Entries) > 0 {
		return "hold " + join(d.Entries)
	}
	return d.Set
}

func join(entries []string) string { return strings.Join(entries, ",") }

func same(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
