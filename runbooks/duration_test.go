package runbooks

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want time.Duration
	}{
		{"0", 0}, {"0s", 0}, {"1ms", time.Millisecond}, {"5s", 5 * time.Second}, {"0.5s", 500 * time.Millisecond},
		{"600s", 10 * time.Minute}, {"1h30m", 90 * time.Minute}, {"1.5h", 90 * time.Minute}, {"2d", 48 * time.Hour},
		{"1d2h3m4s5ms", 26*time.Hour + 3*time.Minute + 4*time.Second + 5*time.Millisecond},
	} {
		if got, err := ParseDuration(c.text); err != nil || got != c.want {
			t.Errorf("ParseDuration(%q): got %v, %v, want %v", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{
		"", "600", "1", "00", "-5s", "+5s", "5", "5ns", "5us", "0.5ms", "5 s", "5s ", "5S", "s", "1s1m", "1m1m", "1h 30m", ".5s",
		"1.s", "1e3s", "010s", "1hm", "106752d", "106751d23h59m", "9223372036854775807s", "5 minutes",
	} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q): got %v, want a refusal", text, got)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"0s": 0, "10m": 10 * time.Minute, "1h30m": 90 * time.Minute, "1m30s": 90 * time.Second, "1s500ms": 1500 * time.Millisecond, "48h": 48 * time.Hour,
	} {
		if got := formatDuration(d); got != want {
			t.Errorf("%v prints as %s, want %s", d, got, want)
		}
	}
}

func TestDurationsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, math.MaxInt64/int64(time.Millisecond)).Draw(t, "ms")) * time.Millisecond
		if got, err := ParseDuration(formatDuration(d)); err != nil || got != d {
			t.Fatalf("%v prints as %s and reads back as %v, %v", d, formatDuration(d), got, err)
		}
	})
}
