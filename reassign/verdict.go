package reassign

import "strconv"

// verdict is what is to be done about one setting.
type verdict struct {
	change *Change // nil: nothing
	debt   Debt    // that goes with the change
	rate   *ruling // nil: it is no rate
	lacks  error   // why the change cannot be made, or it is not known whether one is needed
}

// judge compares what is wanted of a setting with what there is. It asks nobody,
// and changes and tells nothing.
func (s *settings) judge(k setting, w want, have ResourceConfig) verdict {
	switch {
	case have.Err != nil:
		return verdict{lacks: have.Err}
	case w.limit == 0:
		return s.judgeList(k, w.entries, have)
	case s.stranger(k, have):
		return verdict{lacks: errHidden}
	case k.Key == MinISR:
		return valued(k, w, have, ruleMinISR(have, int(w.limit)))
	}
	r := s.rule(k, w, have)
	v := valued(k, w, have, r)
	v.rate = &r
	return v
}

// rule decides a rate.
func (s *settings) rule(k setting, w want, have ResourceConfig) ruling {
	d, owed := s.book.of(k)
	r := ruleRate(have, k.Key, w.limit, d, owed, s.accept).softly(w, have, k.Key, d, owed)
	if have.Hides(k.Key, k.layer()) && !s.sure[k] {
		r.set = strconv.FormatInt(r.stands, 10)
	}
	return r
}

// valued is the change that a ruling asks for.
func valued(k setting, w want, have ResourceConfig, r ruling) verdict {
	if r.set == "" {
		return verdict{}
	}
	d := DebtOn(have, k.Key)
	d.Set, d.Why = r.set, w.why
	return verdict{debt: d, change: &Change{Resource: k.Resource, Key: k.Key, Op: Set, Value: r.set}}
}

// judgeList adds the entries that a list has not.
func (s *settings) judgeList(k setting, want []string, have ResourceConfig) verdict {
	d := DebtOn(have, k.Key)
	if d.Entries = missing(text(d.Before), want); len(d.Entries) == 0 {
		return verdict{}
	}
	return verdict{
		debt: d, change: &Change{Resource: k.Resource, Key: k.Key, Op: Append, Value: join(d.Entries)},
		lacks: s.crowded(k, text(d.Before), d.Entries),
	}
}
