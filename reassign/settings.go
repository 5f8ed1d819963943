package reassign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// settings makes settings and gives them back. Each is a debt, written down
// before it is made.
type settings struct {
	port   Configs
	ledger Ledger
	book   Book
	accept bool // a foreign throttle may be raised
	forget bool // a foreign throttle that is not told may be lost
	report func(Event)

	stood map[setting]bool  // seen in effect: if one is gone, somebody removed it
	sure  map[setting]bool  // Kafka has answered to the last change of it
	rates map[Lane]int64    // what applies on each lane, as last read
	said  map[setting]bool  // yielded to somebody else's value, and reported
	rises map[setting]int64 // what a rate that is not there yet rises to
	taken map[setting]int   // bytes of others in each list, as last read
}

func newSettings(port Configs, ledger Ledger, debts []Debt, accept bool, report func(Event)) *settings {
	s := &settings{
		port: port, ledger: ledger, accept: accept, report: report,
		stood: map[setting]bool{}, sure: map[setting]bool{}, rates: map[Lane]int64{}, said: map[setting]bool{},
		rises: map[setting]int64{}, taken: map[setting]int{},
	}
	for _, d := range debts {
		s.book.Owe(d)
	}
	return s
}

// configs is the settings of resources, as read.
type configs map[Resource]ResourceConfig

func (c configs) value(s setting) *string {
	if v, ok := c[s.Resource].At(s.Key, s.layer()); ok {
		return &v
	}
	return nil
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

func (s *settings) read(ctx context.Context, of []Resource) (configs, error) {
	all := configs{}
	if len(of) == 0 {
		return all, nil
	}
	read, err := s.port.Configs(ctx, of)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	for _, c := range read {
		all[c.Resource] = s.unhide(c)
	}
	for _, r := range of {
		if _, ok := all[r]; !ok {
			all[r] = ResourceConfig{Resource: r, Err: errors.New("no answer")}
		}
	}
	return all, nil
}

// make brings the settings to the wish, and reads them back. What could not be
// made is returned; an error is for the ledger, for requests without an answer,
// and for refusals that will not change.
func (s *settings) make(ctx context.Context, w wish, live func(int32) bool) (made, error) {
	wants := w.wants()
	lacking := made{}
	for k := range wants {
		if b := k.Broker(); b >= 0 && !live(b) {
			delete(wants, k)
			if k.Key == FollowerRate { // one that is down can not come to lead
				lacking[k] = downError(b)
			}
		}
	}
	have, err := s.read(ctx, resources(wants))
	if err != nil {
		return nil, err
	}
	owed, changes := s.decide(wants, have, lacking)
	if err := s.owe(owed); err != nil {
		return nil, err
	}
	failed, _, err := s.change(ctx, changes)
	if err != nil {
		return nil, err
	}
	maps.Copy(lacking, failed)
	for k := range wants {
		if _, ours := s.book.of(k); ours && lacking[k] == nil {
			s.stood[k] = true
		}
	}
	return lacking, hopeless(failed)
}

// owe writes debts down, all before the first of them is made.
func (s *settings) owe(debts []Debt) error {
	if len(debts) == 0 {
		return nil
	}
	if err := s.ledger.Owe(debts...); err != nil {
		return fatal{err}
	}
	for _, d := range debts {
		_, again := s.book.of(d.setting())
		s.book.Owe(d)
		if again && d.Set != "" {
			continue // who changes a rate says so, and why; its rise was told at its start
		}
		s.report(Event{Kind: Owed, Broker: d.Resource.Broker(), Debt: &d, Text: fmt.Sprintf("set %v to %s%s", d, d.target(), s.rising(d))})
	}
	return nil
}

// rising is the rest of the words on a rate that does not stand at its full
// value from the start.
func (s *settings) rising(d Debt) string {
	full, ok := s.rises[d.setting()]
	if !ok {
		return ""
	}
	return fmt.Sprintf(", which rises to %d within %d s", full, quotaWindow)
}

// decide says what is owed for and changed, of all that is wanted, and keeps in
// lacking what cannot be made. What it learns on the way is kept and told.
func (s *settings) decide(wants map[setting]want, have configs, lacking made) (owed []Debt, changes []Change) {
	for _, k := range slices.SortedFunc(maps.Keys(wants), compareSettings) {
		v := s.judge(k, wants[k], have[k.Resource])
		s.heed(k, wants[k], v, have)
		switch {
		case v.lacks != nil:
			lacking[k] = v.lacks
		case v.change != nil:
			changes = append(changes, *v.change)
			if !s.covered(v.debt) {
				owed = append(owed, v.debt)
			}
		}
	}
	return owed, changes
}

// heed keeps what a verdict says of the setting, and tells what a person should
// know.
func (s *settings) heed(k setting, w want, v verdict, have configs) {
	if r := v.rate; r != nil {
		s.rates[k.lane()] = r.stands
		if r.stands < w.limit && w.soft < w.limit {
			s.rises[k] = w.limit
		}
		s.sayYielded(k, *r)
	}
	if v.change == nil {
		return
	}
	if len(v.debt.Entries) > 0 {
		s.taken[k] = s.theirs(k, text(have.value(k)))
	}
	if v.lacks == nil {
		s.sayPutBack(k, v.debt.Entries, have.value(k))
	}
}

// covered says that the book holds the debt already: the setting was removed by
// somebody else, or the request that was to make it never arrived. A value of
// somebody else's is written down before it is replaced.
func (s *settings) covered(d Debt) bool {
	old, ok := s.book.of(d.setting())
	if len(d.Entries) > 0 {
		return ok && len(without(d.Entries, old.Entries)) == 0
	}
	return ok && old.Set == d.Set && !old.foreign(d.Before)
}

// sayPutBack reports what stood before and is missing, or is another value, now.
func (s *settings) sayPutBack(k setting, entries []string, value *string) {
	d, owed := s.book.of(k)
	if !owed || !s.stood[k] && (entries != nil || !d.foreign(value)) {
		return
	}
	var how string
	switch {
	case entries != nil && len(without(entries, d.Entries)) == len(entries): // new ones
		return
	case entries != nil || value == nil:
		how = "removed by somebody else and is put back"
	case d.ours(*value):
		return
	default:
		how = fmt.Sprintf("set to %s by somebody else: it is replaced as long as it is needed for the moves, and %s is given back afterwards", *value, *value)
	}
	s.report(Event{Kind: PutBack, Broker: k.Broker(), Debt: &d, Text: fmt.Sprintf("%v was %s", k, how)})
}

func (s *settings) sayYielded(k setting, r ruling) {
	if r.yielded && !s.said[k] {
		s.report(Event{Kind: Left, Broker: k.Broker(), Text: fmt.Sprintf("%v stays at %s, which somebody else has set", k, rateText(r.stands))})
	}
	s.said[k] = r.yielded
}
