package runbooks

import (
	"math"
	"testing"
)

func TestParseID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want int32
	}{
		{"0", 0}, {"1", 1}, {"10", 10}, {"2147483647", math.MaxInt32},
	} {
		if got, err := ParseID(c.text); err != nil || got != c.want {
			t.Errorf("ParseID(%q): got %d, %v, want %d", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{
		"", " 1", "1 ", "-1", "+1", "010", "08", "00", "0x10", "0b1", "0o7", "1_0", "1.0", "1e1", "2147483648",
		"9999999999999999999999", "one", "१", "1\n",
	} {
		if got, err := ParseID(text); err == nil {
			t.Errorf("ParseID(%q): got %d, want a refusal", text, got)
		}
	}
}

func TestParseFraction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want float64
	}{
		{"0", 0}, {"0.0", 0}, {"0.25", 0.25}, {"1", 1}, {"1.0", 1},
	} {
		if got, err := ParseFraction(c.text); err != nil || got != c.want {
			t.Errorf("ParseFraction(%q): got %v, %v, want %v", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", ".5", "0.", "-0.1", "+0.1", "1.1", "10%", "1e-1", "0x1p-2", "NaN", ".inf", "00.5", "0,25"} {
		if got, err := ParseFraction(text); err == nil {
			t.Errorf("ParseFraction(%q): got %v, want a refusal", text, got)
		}
	}
}

func TestScaleIsExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		number string
		unit   int64
		want   int64
		ok     bool
	}{
		{"1.1", 1e9, 1_100_000_000, true},
		{"0.000001", 1e6, 1, true},
		{"0.0000001", 1e6, 0, false},
		{"9223372036854775807", 1, math.MaxInt64, true},
		{"9223372036854775808", 1, 0, false},
		{"9223.5", 1e15, 0, false},
		{"1.", 1, 0, false},
		{"", 1, 0, false},
	} {
		got, ok := scale(c.number, c.unit)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("scale(%q, %d): got %d, %t, want %d, %t", c.number, c.unit, got, ok, c.want, c.ok)
		}
	}
}
