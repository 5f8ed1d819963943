package reassign

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
)

func TestRestore(t *testing.T) {
	t.Parallel()
	value := func(before *string, set string, was ...string) Debt {
		return Debt{Resource: OfBroker(1), Key: LeaderRate, Before: before, Set: set, Was: was}
	}
	list := func(before *string, entries ...string) Debt {
		return Debt{Resource: OfTopic("t"), Key: LeaderList, Before: before, Entries: entries}
	}
	change := func(d Debt, op Op, value string) *Change {
		return &Change{Resource: d.Resource, Key: d.Key, Op: op, Value: value}
	}
	for _, c := range []struct {
		name string
		debt Debt
		now  *string
		want *Change
	}{
		{"none was there: delete", value(nil, "5"), ptr("5"), change(value(nil, ""), Delete, "")},
		{"one was there: set, to the byte", value(ptr("007"), "5"), ptr("5"), change(value(nil, ""), Set, "007")},
		{"an older one of ours", value(nil, "5", "4"), ptr("4"), change(value(nil, ""), Delete, "")},
		{"it is as before already", value(ptr("7"), "5"), ptr("7"), nil},
		{"it was never made", value(nil, "5"), nil, nil},
		{"somebody removed ours, and so the operator's", value(ptr("7"), "5"), nil, change(value(nil, ""), Set, "7")},
		{"somebody set another: it is theirs", value(ptr("7"), "5"), ptr("6"), nil},
		{"entries are subtracted", list(nil, "0:1", "0:2"), ptr("0:1,0:2,9:9"), change(list(nil), Subtract, "0:1,0:2")},
		{"those that are there", list(nil, "0:1", "0:2"), ptr("0:2"), change(list(nil), Subtract, "0:2")},
		{"none is there", list(nil, "0:1"), ptr("9:9"), nil},
		{"the list is gone", list(nil, "0:1"), nil, nil},
		{"the list became everything", list(nil, "0:1"), ptr("*"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := restore(c.debt, c.now)
			if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	list := func(before *string) Debt {
		return Debt{Resource: OfTopic("t"), Key: LeaderList, Before: before, Entries: []string{"0:1"}}
	}
	for _, c := range []struct {
		name string
		debt Debt
		now  *string
		want bool
	}{
		{"a list left empty where none was", list(nil), ptr(""), true},
		{"an empty list that was there", list(ptr("")), ptr(""), false},
		{"somebody else's entries are in it", list(nil), ptr("9:9"), false},
		{"it is gone", list(nil), nil, false},
		{"a value is no list", Debt{Resource: OfBroker(1), Key: LeaderRate, Set: "5"}, ptr(""), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := remove(c.debt, c.now); (got != nil) != c.want || got != nil && got.Op != Delete {
				t.Errorf("got %+v, want a deletion: %v", got, c.want)
			}
		})
	}
}

// Whatever stood there before, whatever is made, in however many steps, with
// requests that fail, runs that die, and rates that others set meanwhile: in the
// end every setting is as it was, or as somebody else has put it last.
func TestSettingsAreGivenBack(t *testing.T) {
	t.Parallel()
	for seed := range 400 {
		synctest.Test(t, func(t *testing.T) {
			r := rng(seed)
			m := newModel(1, 2, 3)
			m.part("a", 0, 1, 1)
			m.part("b", 0, 1, 1)
			r.before(m)
			before := m.settings()
			ledger := &memory{}
			m.fault = func(request string) error {
				if seed%2 == 1 && r.n(8) == 0 {
					return errors.New(request)
				}
				return nil
			}
			s := newSettings(m, ledger, nil, r.n(2) == 0, func(Event) {})
			for range 1 + r.n(6) {
				if r.n(3) == 0 {
					of, key, theirs := 1+r.n(3), r.of(LeaderRate, FollowerRate), r.of("70001", "70002", "11")
					m.brokers[of].configs[key], before[fmt.Sprintf("broker %d %s", of, key)] = theirs, theirs
				}
				w := r.wish()
				_, makeErr := s.make(t.Context(), w, m.isLive)
				backErr := s.giveBack(t.Context(), w, m.isLive, passes)
				if isFatal(makeErr) || isFatal(backErr) {
					t.Fatalf("seed %d: %v, %v", seed, makeErr, backErr)
				}
				if r.n(4) == 0 {
					s = newSettings(m, ledger, ledger.book.Open(), s.accept, func(Event) {})
				}
			}
			m.fault = nil
			if err := s.giveBack(t.Context(), wish{}, m.isLive, passes); err != nil {
				t.Fatal(err)
			}
			wantClean(t, m, ledger, before)
			if t.Failed() {
				t.Fatalf("seed %d: %q", seed, m.log)
			}
		})
	}
}

func (r *rng) of(values ...string) string { return values[r.n(int32(len(values)))] }

// before gives the cluster settings of others.
func (r *rng) before(m *model) {
	m.defaults[MinISR] = r.of("1", "2")
	for _, b := range []int32{1, 2, 3} {
		for _, key := range []string{LeaderRate, FollowerRate} {
			if v := r.of("", "100", "5000", "1000000"); v != "" {
				m.brokers[b].configs[key] = v
			}
		}
	}
	for _, topic := range []string{"a", "b"} {
		for _, key := range []string{LeaderList, FollowerList} {
			if v := r.of("none", "", "*", "0:1", "7:7,0:2"); v != "none" {
				m.topics[topic][key] = v
			}
		}
		if v := r.of("", "1", "3"); v != "" {
			m.topics[topic][MinISR] = v
		}
	}
}

// wish is what some moves may need.
func (r *rng) wish() wish {
	rate := 50 + int64(r.n(10_000))
	w := wish{rate: func(Lane) int64 { return rate }}
	for _, topic := range []string{"a", "b"} {
		for n := range r.n(4) {
			w.covers = append(w.covers, cover{
				TopicPartition: tp(topic, n), from: []int32{1, 2}, to: []int32{3},
				listed: r.n(2) == 0, factor: int(r.n(3)),
			})
		}
	}
	return w
}

// What is kept for moves that still wait stays; the rest goes.
func TestDue(t *testing.T) {
	t.Parallel()
	s := newSettings(nil, &memory{}, []Debt{
		{Resource: OfBroker(1), Key: LeaderRate, Set: "5"},
		{Resource: OfBroker(2), Key: LeaderRate, Set: "5"},
		{Resource: OfBroker(3), Key: CordonedDirs, Set: "*"},
		{Resource: OfBroker(4), Key: LeaderRate, Set: "5"},
		{Resource: OfTopic("t"), Key: LeaderList, Entries: []string{"0:1", "1:1"}},
	}, false, func(Event) {})
	w := wish{
		rate:   func(Lane) int64 { return 5 },
		covers: []cover{{TopicPartition: tp("t", 1), from: []int32{1}, to: []int32{9}, listed: true}},
		keep:   func(k setting) bool { return k.Resource == OfBroker(2) },
	}
	var got []string
	for _, d := range s.due(w, passes) {
		got = append(got, fmt.Sprint(d, d.Entries))
	}
	want := []string{"broker 4 leader.replication.throttled.rate []", "topic t leader.replication.throttled.replicas [0:1]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
