package runbooks

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestParseSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want int64
	}{
		{"0B", 0}, {"1B", 1}, {"1kB", 1e3}, {"1KB", 1e3}, {"800GB", 800e9}, {"1.1GB", 1_100_000_000},
		{"48MiB", 48 << 20}, {"0.5KiB", 512}, {"1TB", 1e12}, {"1PB", 1e15},
		{"3GiB", 3 << 30}, {"2TiB", 2 << 40}, {"1PiB", 1 << 50}, {"9223372036854775807B", math.MaxInt64},
	} {
		if got, err := ParseSize(c.text); err != nil || got != c.want {
			t.Errorf("ParseSize(%q): got %d, %v, want %d", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "1", "B", "1 B", "-1B", "+1B", "01B", "1.B", ".5kB", "1e3B", "1mB", "1gb", "1Gb", "1KiB/s", "1EB", "0.5B", "9223372036854775808B", "1B "} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q): got %d, want a refusal", text, got)
		}
	}
}

func TestParseRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Throttle
	}{
		{"none", Throttle{None: true}},
		{"10B/s", Throttle{BytesPerSec: 10}},
		{"50MB/s", Throttle{BytesPerSec: 50e6}},
		{"48MiB/s", Throttle{BytesPerSec: 48 << 20}},
		{"1.5MB/s", Throttle{BytesPerSec: 1_500_000}},
	} {
		if got, err := ParseRate(c.text); err != nil || got != c.want {
			t.Errorf("ParseRate(%q): got %+v, %v, want %+v", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "10", "50MB", "50MB/m", "/s", "0B/s", "None", "none/s", "50MB/s/s", "50M/s", "-1MB/s"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("ParseRate(%q): got %+v, want a refusal", text, got)
		}
	}
	// Else the remedy would be a rate that is refused in turn.
	for _, text := range []string{"0", "0/s", "0.0", "0MB", "0B/s"} {
		if got, err := ParseRate(text); err == nil || err.Error() != "a rate of 0 would never end; write a rate such as 50MB/s, or none for no limit" {
			t.Errorf("ParseRate(%q): got %+v, %v", text, got, err)
		}
	}
}

func TestThrottlePrintsAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		throttle Throttle
		want     string
	}{
		{Throttle{}, ""},
		{Throttle{None: true}, "none"},
		{Throttle{BytesPerSec: 50e6}, "50MB/s"},
		{Throttle{BytesPerSec: 1_500_000}, "1.5MB/s"},
		{Throttle{BytesPerSec: 48 << 20}, "48MiB/s"},
		{Throttle{BytesPerSec: 1001}, "1001B/s"},
		{Throttle{BytesPerSec: 1122}, "1122B/s"}, // eleven times the whole part of a tenth of 1KiB
		{Throttle{BytesPerSec: 1e15}, "1PB/s"},
		{Throttle{BytesPerSec: 1e18}, "1000PB/s"},
	} {
		if got := c.throttle.String(); got != c.want {
			t.Errorf("%+v prints as %q, want %q", c.throttle, got, c.want)
		}
	}
}

func TestSizesReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom(sizeUnits).Draw(t, "unit")
		n := rapid.Int64Range(0, math.MaxInt64/unit.bytes).Draw(t, "n") * unit.bytes
		if got, err := ParseSize(formatSize(n)); err != nil || got != n {
			t.Fatalf("%d prints as %s and reads back as %d, %v", n, formatSize(n), got, err)
		}
	})
}
