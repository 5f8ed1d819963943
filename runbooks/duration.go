package runbooks

import (
	"strconv"
	"strings"
	"time"
)

// durationUnits from the largest down. Nothing below a millisecond: what could
// only be meant as nanoseconds is a number without a unit.
var durationUnits = []struct {
	name string
	unit time.Duration
}{
	{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond},
}

// ParseDuration reads a time with units, such as 30s, 1h30m, 0.5s or 2d (a day is
// 24 hours), in whole milliseconds. A bare 0 is zero, the only number that means
// the same in every unit.
func ParseDuration(s string) (time.Duration, error) {
	if s == "0" {
		return 0, nil
	}
	if wholeNumber.MatchString(s) {
		return 0, refusal("write "+strconv.Quote(s+"s")+" if seconds are meant", "%q has no unit", s)
	}
	total, rest := time.Duration(0), s
	for _, u := range durationUnits {
		part, after, ok := cutDuration(rest, u.name, u.unit)
		if !ok {
			continue
		}
		total, rest = total+part, after
		if total < 0 {
			return 0, refusal("", "%q is too long to count", s)
		}
	}
	if s == "" || rest != "" || total%time.Millisecond != 0 {
		return 0, refusal("write a number and a unit (ms, s, m, h, d), such as 30s or 1h30m", "%q is not a duration", s)
	}
	return total, nil
}

// cutDuration takes a leading number of this unit off s.
func cutDuration(s, name string, unit time.Duration) (d time.Duration, rest string, ok bool) {
	number, tail := cutNumber(s)
	letters := strings.TrimLeft(tail, "dhms")
	if tail[:len(tail)-len(letters)] != name {
		return 0, s, false
	}
	n, ok := scale(number, int64(unit))
	if !ok {
		return 0, s, false
	}
	return time.Duration(n), letters, true
}

// formatDuration prints d so that ParseDuration reads it back, without the zeros
// of Duration.String ("10m", not "10m0s").
func formatDuration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	var b strings.Builder
	for _, u := range durationUnits[1:] {
		if n := d / u.unit; n > 0 {
			b.WriteString(strconv.FormatInt(int64(n), 10) + u.name)
			d -= n * u.unit
		}
	}
	return b.String()
}
