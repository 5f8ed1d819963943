package reassign

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func ptr(s string) *string { return &s }

func TestBook(t *testing.T) {
	t.Parallel()
	rate := func(before *string, set string) Debt {
		return Debt{Resource: OfBroker(1), Key: LeaderRate, Before: before, Set: set}
	}
	list := func(before *string, entries ...string) Debt {
		return Debt{Resource: OfTopic("t"), Key: LeaderList, Before: before, Entries: entries}
	}
	for _, c := range []struct {
		name string
		do   func(b *Book)
		want []Debt
	}{
		{"nothing is owed at first", func(*Book) {}, []Debt{}},
		{"a value", func(b *Book) { b.Owe(rate(nil, "5")) }, []Debt{rate(nil, "5")}},
		{
			"a value that changes keeps what was before the first, and what was ours between",
			func(b *Book) {
				b.Owe(rate(ptr("9"), "5"))
				b.Owe(rate(ptr("5"), "6"))
				b.Owe(rate(ptr("6"), "7"))
			},
			[]Debt{{Resource: OfBroker(1), Key: LeaderRate, Before: ptr("9"), Set: "7", Was: []string{"5", "6"}}},
		},
		{
			"a value that somebody else has put there since is theirs",
			func(b *Book) {
				b.Owe(rate(ptr("9"), "5"))
				b.Owe(rate(ptr("5"), "6"))
				b.Owe(rate(ptr("077"), "6"))
			},
			[]Debt{{Resource: OfBroker(1), Key: LeaderRate, Before: ptr("077"), Set: "6", Was: []string{"5", "6"}}},
		},
		{
			"where somebody has removed ours, what was before it comes back",
			func(b *Book) { b.Owe(rate(ptr("9"), "5")); b.Owe(rate(nil, "6")) },
			[]Debt{{Resource: OfBroker(1), Key: LeaderRate, Before: ptr("9"), Set: "6", Was: []string{"5"}}},
		},
		{"a value that is paid is gone", func(b *Book) { b.Owe(rate(nil, "5")); b.Paid(rate(nil, "5")) }, []Debt{}},
		{
			"entries add up, each once",
			func(b *Book) { b.Owe(list(nil, "0:1", "0:2")); b.Owe(list(ptr("0:1,0:2"), "0:2", "1:1")) },
			[]Debt{list(nil, "0:1", "0:2", "1:1")},
		},
		{
			"some entries are paid",
			func(b *Book) { b.Owe(list(ptr(""), "0:1", "0:2")); b.Paid(list(nil, "0:1")) },
			[]Debt{list(ptr(""), "0:2")},
		},
		{"all entries are paid", func(b *Book) { b.Owe(list(nil, "0:1")); b.Paid(list(nil, "0:1")) }, []Debt{}},
		{"what is not owed may be paid", func(b *Book) { b.Paid(list(nil, "0:1")); b.Paid(rate(nil, "5")) }, []Debt{}},
		{
			"a payment that is recorded twice takes nothing else along",
			func(b *Book) {
				b.Owe(list(nil, "0:1", "0:2"))
				b.Paid(list(nil, "0:1"))
				b.Paid(list(nil, "0:1"))
			},
			[]Debt{list(nil, "0:2")},
		},
		{
			"brokers come in the order of numbers, before topics",
			func(b *Book) {
				b.Owe(list(nil, "0:1"))
				for _, id := range []int32{10, 9} {
					b.Owe(Debt{Resource: OfBroker(id), Key: FollowerRate, Set: "5"})
				}
			},
			[]Debt{
				{Resource: OfBroker(9), Key: FollowerRate, Set: "5"},
				{Resource: OfBroker(10), Key: FollowerRate, Set: "5"},
				list(nil, "0:1"),
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var b Book
			c.do(&b)
			if got := spell(b.Open()); got != spell(c.want) {
				t.Errorf("got  %s\nwant %s", got, spell(c.want))
			}
		})
	}
}

// spell prints debts with what their pointers point to.
func spell(debts []Debt) string {
	s := ""
	for _, d := range debts {
		before := "none"
		if d.Before != nil {
			before = fmt.Sprintf("%q", *d.Before)
		}
		s += fmt.Sprintf("%v: before %s, set %q, was %q, entries %q\n", d, before, d.Set, d.Was, d.Entries)
	}
	return s
}

// Debts that were handed out do not change with the book.
func TestBookHandsOutCopies(t *testing.T) {
	t.Parallel()
	var b Book
	b.Owe(Debt{Resource: OfTopic("t"), Key: LeaderList, Entries: []string{"0:1", "0:2"}})
	open := b.Open()
	b.Paid(Debt{Resource: OfTopic("t"), Key: LeaderList, Entries: []string{"0:1"}})
	b.Owe(Debt{Resource: OfTopic("t"), Key: LeaderList, Entries: []string{"0:3"}})
	if !slices.Equal(open[0].Entries, []string{"0:1", "0:2"}) {
		t.Errorf("got %q", open[0].Entries)
	}
}

// A book whose open debts start another one goes on the same: that is what a
// resumed run does.
func TestBookGoesOnFromItsOpenDebts(t *testing.T) {
	t.Parallel()
	debt := rapid.Custom(func(t *rapid.T) Debt {
		d := Debt{Resource: OfTopic(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "topic")), Key: LeaderList}
		if rapid.Bool().Draw(t, "value") {
			d.Key, d.Set = MinISR, rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "set")
			return d
		}
		d.Entries = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"0:1", "0:2", "1:1"}), 1, 3, rapid.ID).Draw(t, "entries")
		return d
	})
	rapid.Check(t, func(t *rapid.T) {
		var whole, half Book
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			if rapid.IntRange(0, 4).Draw(t, "crash") == 0 {
				var next Book
				for _, d := range half.Open() {
					next.Owe(d)
				}
				half = next
			}
			d := debt.Draw(t, "debt")
			if rapid.Bool().Draw(t, "owe") {
				whole.Owe(d)
				half.Owe(d)
			} else {
				whole.Paid(d)
				half.Paid(d)
			}
			if a, b := spell(whole.Open()), spell(half.Open()); a != b {
				t.Fatalf("got\n%swant\n%s", b, a)
			}
		}
	})
}
