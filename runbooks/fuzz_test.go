package runbooks

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// FuzzParse: no panic; errors have lines; what parses, prints and parses to the same
// value.
func FuzzParse(f *testing.F) {
	for _, story := range []string{"testdata/accepted.txt", "testdata/refused.txt"} {
		text, err := os.ReadFile(story)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(text), "====\n\n") {
			_, input, _ := strings.Cut(part, "parse")
			_, input, _ = strings.Cut(input, "\n")
			input, _, _ = strings.Cut(input, "----\n")
			f.Add(input)
		}
	}
	env := func(name string) (string, bool) { return strings.ToLower(name) + "$${X}:1", len(name) < 3 }
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(strings.NewReader(text), env)
		if err == nil {
			assertReadsBack(t, r)
			return
		}
		all, ok := errors.AsType[Errors](err)
		if !ok {
			t.Fatalf("got a %T", err)
		}
		for _, e := range all {
			if e.Line < 1 {
				t.Errorf("no line: %v", e)
			}
		}
	})
}
