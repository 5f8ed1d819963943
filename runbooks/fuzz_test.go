package runbooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse: no panic; errors have lines; what parses, prints and parses to the same
// value, under the rules of today and of all that is planned.
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
	examples, err := filepath.Glob("testdata/planned/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range examples {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	env := func(name string) (string, bool) { return strings.ToLower(name) + "$${X}:1", len(name) < 3 }
	f.Fuzz(func(t *testing.T, text string) {
		for _, planned := range []bool{false, true} {
			r, err := ParseWith(strings.NewReader(text), env, Options{Planned: planned})
			if err == nil {
				assertReadsBack(t, r)
				continue
			}
			all, ok := err.(Errors)
			if !ok {
				t.Fatalf("got a %T", err)
			}
			for _, e := range all {
				if e.Line < 1 {
					t.Errorf("no line: %v", e)
				}
			}
		}
	})
}
