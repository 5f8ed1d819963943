package reassign

import (
	"slices"
	"strings"
	"testing"
)

func TestMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value string
		want        []string
		missing     []string
	}{
		{"an empty list", "", []string{"0:1"}, []string{"0:1"}},
		{"some are there", "0:1,0:2", []string{"0:2", "0:3"}, []string{"0:3"}},
		{"all are there", "0:2,0:1", []string{"0:1", "0:2"}, nil},
		{"everything is listed", "*", []string{"0:1"}, nil},
		{"blanks", " 0:1 , ,0:2", []string{"0:1", "0:3"}, []string{"0:3"}},
		{"a longer number is another entry", "10:1,0:11", []string{"0:1"}, []string{"0:1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := missing(c.value, c.want); !slices.Equal(got, c.missing) {
				t.Errorf("got %q, want %q", got, c.missing)
			}
		})
	}
}

func TestPresent(t *testing.T) {
	t.Parallel()
	entries := []string{"0:1", "1:1"}
	for value, want := range map[string][]string{
		"":            {},
		"1:1,5:5":     {"1:1"},
		"1:1,0:1":     {"0:1", "1:1"},
		"*":           {},
		"10:1,1:11":   {},
		"0:1, 1:1 , ": {"0:1", "1:1"},
	} {
		if got := present(value, entries); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
	if !slices.Equal(entries, []string{"0:1", "1:1"}) {
		t.Errorf("the argument was changed: %q", entries)
	}
}

// What is listed is read back as it was; what Kafka would refuse is nobody's.
func TestParseEntry(t *testing.T) {
	t.Parallel()
	for _, r := range [][2]int32{{0, 0}, {7, 1001}, {1<<31 - 1, 1<<31 - 1}} {
		if p, b, ok := ParseEntry(entry(r[0], r[1])); !ok || p != r[0] || b != r[1] {
			t.Errorf("%v: got %d, %d and %v", r, p, b, ok)
		}
	}
	for _, none := range []string{"", everything, "1", "1:", ":1", "a:1", "1:2:3", "0:2147483648"} {
		if p, b, ok := ParseEntry(none); ok {
			t.Errorf("%q: got %d and %d, want no replica", none, p, b)
		}
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		length  int
		entries []string
		want    bool
	}{
		{longest - 4, []string{"0:1"}, true},
		{longest - 3, []string{"0:1"}, false},
		{longest, nil, true},
		{0, slices.Repeat([]string{"1000:1"}, 5000), false},
	} {
		if got := fits(strings.Repeat("x", c.length), c.entries); got != c.want {
			t.Errorf("%d bytes and %d entries: got %v", c.length, len(c.entries), got)
		}
	}
}
