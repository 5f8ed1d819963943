package runbooks

import (
	"strconv"
	"strings"
)

// sizeUnits from the largest down; decimal before binary, so that a size that
// fits both is printed in the one that people write.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"PB", 1e15}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3},
	{"PiB", 1 << 50}, {"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"B", 1},
}

// ParseSize reads bytes with their unit, such as 800GB (decimal) or 48MiB
// (binary); fractions are fine as long as the bytes are whole.
func ParseSize(s string) (int64, error) {
	number, unit := cutNumber(s)
	for _, u := range sizeUnits {
		if u.name != unit {
			continue
		}
		if n, ok := scale(number, u.bytes); ok {
			return n, nil
		}
		return 0, refusal("write a number and a unit, such as 50MB", "%q is not a whole number of bytes that can be counted", s)
	}
	return 0, sizeComplaint(s, number, unit, "")
}

// ParseRate reads a throttle: bytes a second such as 50MB/s or 48MiB/s, above 0,
// or the word none.
func ParseRate(s string) (Throttle, error) {
	if s == "none" {
		return Throttle{None: true}, nil
	}
	size, ok := strings.CutSuffix(s, "/s")
	number, unit := cutNumber(size)
	if isZero(number) && (unit == "" || isSizeUnit(unit)) { // whatever else is wrong with it
		return Throttle{}, refusal("write a rate such as 50MB/s, or none for no limit", "a rate of 0 would never end")
	}
	if !ok {
		return Throttle{}, sizeComplaint(s, number, unit, "/s")
	}
	n, err := ParseSize(size)
	if err != nil {
		return Throttle{}, sizeComplaint(s, number, unit, "/s")
	}
	return Throttle{BytesPerSec: n}, nil
}

func isZero(number string) bool {
	return decimalNumber.MatchString(number) && strings.Trim(number, "0.") == ""
}

// sizeComplaint says what is wrong with a size or rate, guessing at what was meant.
func sizeComplaint(s, number, unit, per string) error {
	example := "write a number and a unit, such as 50MB" + per
	switch {
	case !decimalNumber.MatchString(number):
		return refusal(example, "%q is not a number with a unit", s)
	case unit == "":
		return refusal("write "+strconv.Quote(number+"MB"+per)+" or another unit", "%q has no unit", s)
	case strings.TrimSpace(unit) != unit:
		return refusal("write the unit right behind the number, such as 50MB"+per, "%q has a blank in it", s)
	case per != "" && isSizeUnit(unit) && !strings.HasSuffix(s, per):
		return refusal("write "+strconv.Quote(s+per), "%q is not a rate", s)
	case strings.Contains(unit, "b"):
		return refusal("write bytes: 50MB"+per+" (decimal) or 48MiB"+per+" (binary)", "%q looks like bits", s)
	case isSizeUnit(unit):
		return refusal(example, "%q is not a whole number of bytes that can be counted", s)
	}
	return refusal("units are B, kB, MB, GB, TB, PB and KiB, MiB, GiB, TiB, PiB, with "+strconv.Quote("/s")+" for a rate",
		"%q has an unknown unit", s)
}

func isSizeUnit(unit string) bool {
	for _, u := range sizeUnits {
		if u.name == unit {
			return true
		}
	}
	return false
}

// formatSize prints n so that ParseSize reads it back, in the largest unit of which it
// is a whole number, or tenths of a decimal one: 1.5MB, not 1500kB.
func formatSize(n int64) string {
	for _, u := range sizeUnits {
		switch {
		case n < u.bytes:
		case n%u.bytes == 0:
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		case u.bytes%10 == 0 && n%(u.bytes/10) == 0:
			return strconv.FormatInt(n/u.bytes, 10) + "." + strconv.FormatInt(n%u.bytes/(u.bytes/10), 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}

// String is the throttle as a runbook would say it; empty when not given.
func (t Throttle) String() string {
	switch {
	case t.None:
		return "none"
	case !t.Given():
		return ""
	}
	return formatSize(t.BytesPerSec) + "/s"
}
