package runbooks

import (
	"testing"
	"time"
	_ "time/tzdata" // the stories and windows must not depend on the machine

	"pgregory.net/rapid"
)

func zoneOf(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func hoursOf(t *testing.T, text string) Hours {
	t.Helper()
	h, err := parseHours(text)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// at reads an instant with its offset, so that a time that comes twice is told apart.
func at(t *testing.T, text string) time.Time {
	t.Helper()
	v, err := time.Parse("2006-01-02 15:04 -0700", text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWindow(t *testing.T) {
	t.Parallel()
	const madrid = "Europe/Madrid" // +0100, in summer +0200; 2026-03-29 and 2026-10-25 are the changes
	weekend := []time.Weekday{time.Saturday, time.Sunday}
	for _, c := range []struct {
		name, hours, zone string
		days              []time.Weekday
		at, next, closes  string // next "" is open at at; closes "" is closed
	}{
		{name: "before it opens", hours: "01:00-05:00", zone: "UTC", at: "2026-11-27 00:59 +0000", next: "2026-11-27 01:00 +0000"},
		{name: "as it opens", hours: "01:00-05:00", zone: "UTC", at: "2026-11-27 01:00 +0000", closes: "2026-11-27 05:00 +0000"},
		{name: "as it closes", hours: "01:00-05:00", zone: "UTC", at: "2026-11-27 05:00 +0000", next: "2026-11-28 01:00 +0000"},
		{name: "by the clocks of its zone", hours: "01:00-05:00", zone: madrid, at: "2026-11-27 00:30 +0000", closes: "2026-11-27 05:00 +0100"},
		{name: "a Friday waits for Saturday", hours: "01:00-05:00", zone: "UTC", days: weekend, at: "2026-11-27 02:00 +0000", next: "2026-11-28 01:00 +0000"},
		{name: "after midnight it is still the day on which it began", hours: "22:00-04:00", zone: "UTC", days: weekend, at: "2026-11-30 03:59 +0000", closes: "2026-11-30 04:00 +0000"},
		{name: "Saturday before dawn belongs to Friday", hours: "22:00-04:00", zone: "UTC", days: weekend, at: "2026-11-28 03:00 +0000", next: "2026-11-28 22:00 +0000"},
		{name: "the whole day", hours: "00:00-24:00", zone: "UTC", days: weekend[:1], at: "2026-11-28 23:59 +0000", closes: "2026-11-29 00:00 +0000"},
		{name: "openings that touch are one", hours: "00:00-24:00", zone: "UTC", days: weekend, at: "2026-11-28 10:00 +0000", closes: "2026-11-30 00:00 +0000"},
		{name: "a week to wait", hours: "01:00-05:00", zone: "UTC", days: weekend[:1], at: "2026-11-28 05:00 +0000", next: "2026-12-05 01:00 +0000"},

		{name: "spring: an hour is left out of it", hours: "01:00-05:00", zone: madrid, at: "2026-03-29 01:30 +0100", closes: "2026-03-29 05:00 +0200"},
		{name: "spring: the time at which it opens is left out", hours: "02:30-05:00", zone: madrid, at: "2026-03-29 01:59 +0100", next: "2026-03-29 03:00 +0200"},
		{name: "spring: the time at which it closes is left out", hours: "01:00-02:30", zone: madrid, at: "2026-03-29 01:59 +0100", closes: "2026-03-29 03:00 +0200"},
		{name: "spring: all of it is left out", hours: "02:10-02:50", zone: madrid, days: weekend[1:], at: "2026-03-29 00:00 +0100", next: "2026-04-05 02:10 +0200"},
		{name: "autumn: an hour comes twice", hours: "01:00-05:00", zone: madrid, at: "2026-10-25 01:00 +0200", closes: "2026-10-25 05:00 +0100"},
		{name: "autumn: it opens the first time", hours: "02:30-05:00", zone: madrid, at: "2026-10-25 02:29 +0200", next: "2026-10-25 02:30 +0200"},
		{name: "autumn: it closes the first time", hours: "01:00-02:30", zone: madrid, at: "2026-10-25 01:00 +0200", closes: "2026-10-25 02:30 +0200"},
		{name: "autumn: it does not open again", hours: "01:00-02:30", zone: madrid, at: "2026-10-25 02:15 +0100", next: "2026-10-26 01:00 +0100"},
		{name: "a day that a zone left out", hours: "01:00-05:00", zone: "Pacific/Apia", at: "2011-12-29 12:00 -1000", next: "2011-12-31 01:00 +1400"},
	} {
		w := Window{Days: c.days, Hours: hoursOf(t, c.hours), Zone: zoneOf(t, c.zone)}
		now := at(t, c.at)
		if open := w.Open(now); open != (c.next == "") {
			t.Errorf("%s: open is %t", c.name, open)
		}
		next, closes := now, now
		if c.next != "" {
			next = at(t, c.next)
		} else {
			closes = at(t, c.closes)
		}
		if got := w.Next(now); !got.Equal(next) {
			t.Errorf("%s: next opens at %v, want %v", c.name, got, next)
		}
		if got := w.Closes(now); !got.Equal(closes) {
			t.Errorf("%s: closes at %v, want %v", c.name, got, closes)
		}
	}
}

func TestWindowThatNeverCloses(t *testing.T) {
	t.Parallel()
	w := Window{Hours: Hours{To: 24 * 60}, Zone: time.UTC}
	if got := w.Closes(at(t, "2026-11-28 10:00 +0000")); !got.IsZero() {
		t.Errorf("closes at %v, want never", got)
	}
}

// Whatever the window, it is open at Next and a moment before Closes, closed at Closes
// and a moment before Next, and nothing opens between now and Next.
func TestWindowNextAndClosesAgreeWithOpen(t *testing.T) {
	t.Parallel()
	zones := []*time.Location{time.UTC, zoneOf(t, "Europe/Madrid"), zoneOf(t, "America/New_York"), zoneOf(t, "Australia/Lord_Howe"), zoneOf(t, "Asia/Kathmandu")}
	rapid.Check(t, func(t *rapid.T) {
		w := Window{
			Days:  rapid.SliceOfNDistinct(rapid.Map(rapid.IntRange(0, 6), func(d int) time.Weekday { return time.Weekday(d) }), 0, 4, rapid.ID).Draw(t, "days"),
			Hours: Hours{From: 15 * rapid.IntRange(0, 95).Draw(t, "from"), To: 15 * rapid.IntRange(1, 96).Draw(t, "to")},
			Zone:  rapid.SampledFrom(zones).Draw(t, "zone"),
		}
		now := time.Unix(rapid.Int64Range(1767225600, 1798761600).Draw(t, "second of 2026"), 0)
		next := w.Next(now)
		if next.Before(now) || !w.Open(next) {
			t.Fatalf("next is %v, open then: %t", next, w.Open(next))
		}
		if next.After(now) && w.Open(next.Add(-time.Nanosecond)) {
			t.Fatalf("open before %v already", next)
		}
		for probe := now; probe.Before(next); probe = probe.Add(13 * time.Minute) {
			if w.Open(probe) {
				t.Fatalf("open at %v, before next at %v", probe, next)
			}
		}
		closes := w.Closes(next)
		if !closes.IsZero() && (w.Open(closes) || !w.Open(closes.Add(-time.Nanosecond))) {
			t.Fatalf("closes at %v: open then %t, just before %t", closes, w.Open(closes), w.Open(closes.Add(-time.Nanosecond)))
		}
	})
}
