package runbooks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Window is when moves may start: on these days, in these hours, by the clocks of
// one time zone. Hours that cross midnight belong to the day on which they begin.
type Window struct {
	Days  []time.Weekday // in the order written; empty is every day
	Hours Hours
	Zone  *time.Location
}

// Hours is a span of a day, in minutes from midnight. To is at most 24:00; when it
// is not after From, the span ends on the next day.
type Hours struct{ From, To int }

// String is "22:00-04:00".
func (h Hours) String() string {
	return fmt.Sprintf("%02d:%02d-%02d:%02d", h.From/60, h.From%60, h.To/60, h.To%60)
}

// Open reports whether moves may start at t.
func (w Window) Open(t time.Time) bool {
	_, open := w.opening(t)
	return open
}

// Next is t itself while the window is open, else when it opens next.
func (w Window) Next(t time.Time) time.Time {
	if w.Open(t) {
		return t
	}
	// Two weeks: in one, the only opening may fall into the hour that a change to
	// summer time leaves out.
	for i := range 16 {
		from, to := w.span(t, i-2)
		if from.After(t) && to.After(from) {
			return from
		}
	}
	return time.Time{}
}

// Closes is when the window that is open at t closes, or t itself when it is
// closed. Openings that touch are one; the zero time is "never".
func (w Window) Closes(t time.Time) time.Time {
	for range 15 {
		to, open := w.opening(t)
		if !open {
			return t
		}
		t = to
	}
	return time.Time{}
}

// opening is the end of the opening that t lies in.
func (w Window) opening(t time.Time) (time.Time, bool) {
	for i := -2; i <= 0; i++ {
		if from, to := w.span(t, i); !t.Before(from) && t.Before(to) {
			return to, true
		}
	}
	return time.Time{}, false
}

// span is the opening that begins on the day of t plus days; empty on a day that
// is not one of the window's.
func (w Window) span(t time.Time, days int) (from, to time.Time) {
	y, m, d := t.In(w.Zone).Date()
	noon := time.Date(y, m, d+days, 12, 0, 0, 0, time.UTC)
	if len(w.Days) > 0 && !slices.Contains(w.Days, noon.Weekday()) {
		return time.Time{}, time.Time{}
	}
	midnight := noon.Add(-12 * time.Hour)
	end := w.Hours.To
	if end <= w.Hours.From {
		end += 24 * 60
	}
	return w.reached(midnight.Add(time.Duration(w.Hours.From) * time.Minute)),
		w.reached(midnight.Add(time.Duration(end) * time.Minute))
}

// reached is the first instant at which the zone's clocks show wall (held as if it
// were UTC) or later. In spring a time that is left out is reached when the clocks
// jump past it, in autumn one that comes twice is reached the first time: each
// opening opens once. time.Date promises neither.
func (w Window) reached(wall time.Time) time.Time {
	t := wall.Add(-24 * time.Hour).In(w.Zone) // no zone is a day from UTC
	for {
		_, offset := t.Zone()
		at := wall.Add(-time.Duration(offset) * time.Second).In(w.Zone)
		if at.Before(t) {
			return t
		}
		_, end := t.ZoneBounds()
		if end.IsZero() || at.Before(end) {
			return at
		}
		t = end
	}
}

var hoursText = regexp.MustCompile(`^([01][0-9]|2[0-3]):([0-5][0-9])-(([01][0-9]|2[0-3]):([0-5][0-9])|24:00)$`)

func parseHours(s string) (Hours, error) {
	if !hoursText.MatchString(s) {
		return Hours{}, refusal(`write "01:00-05:00"; "22:00-04:00" ends on the next day`, "%q is not a span of hours", s)
	}
	var h, m, h2, m2 int
	if _, err := fmt.Sscanf(s, "%d:%d-%d:%d", &h, &m, &h2, &m2); err != nil {
		return Hours{}, refusal("", "%q is not a span of hours: %v", s, err)
	}
	if h == h2 && m == m2 {
		return Hours{}, refusal(`write "00:00-24:00" for the whole day`, "%q begins and ends at the same time", s)
	}
	return Hours{From: h*60 + m, To: h2*60 + m2}, nil
}

func parseDay(s string) (time.Weekday, error) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if s == dayWord(d) {
			return d, nil
		}
	}
	return 0, refusal("days are mon, tue, wed, thu, fri, sat, sun", "%q is not a day", s)
}

func dayWord(d time.Weekday) string { return strings.ToLower(d.String()[:3]) }

// parseZone looks the name up in the time zone database, the only thing that this
// package asks of the machine. "Local" is refused: a runbook must mean the same
// hours wherever it is run.
func parseZone(s string) (*time.Location, error) {
	const remedy = "write a name of the time zone database, such as Europe/Madrid or UTC"
	if s == "" || s == "Local" {
		return nil, refusal(remedy, "%q is no time zone", s)
	}
	loc, err := time.LoadLocation(s)
	if err != nil {
		return nil, refusal(remedy, "%q is no time zone that is known here", s)
	}
	return loc, nil
}
