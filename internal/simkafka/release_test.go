package simkafka

import (
	"strings"
	"testing"
)

func TestAReleaseIsReadWithItsPatch(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ major, minor, patch int }{
		"": {4, 4, 0}, "2.4": {2, 4, 0}, "4.3.2": {4, 3, 2}, "3.9.10": {3, 9, 10},
	} {
		if r, err := parseRelease(text); err != nil || r.Major != want.major || r.Minor != want.minor || r.patch != want.patch {
			t.Errorf("%q: got %+v, %v, want %+v", text, r, err, want)
		}
	}
	for text, want := range map[string]string{
		"4": "want two numbers", "4.x": "want two numbers", "4.3.x": "want major.minor", "4.3.1.7": "want major.minor", "4.3-IV0": "want major.minor",
		"04.3": "want major.minor", "2.3": "known are 2.4 to 4.4", "9.0": "known are 2.4 to 4.4",
	} {
		if _, err := parseRelease(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
