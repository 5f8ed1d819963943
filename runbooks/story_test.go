package runbooks

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the goldens of testdata, schema.json and docs/RUNBOOK.md")

// block is one story of testdata: comments, the command (options and environment),
// the runbook, and what comes of it.
type block struct {
	comment, command, input, want string
}

// env looks names up in the command, "parse NAME=value".
func (b block) env(name string) (string, bool) {
	for word := range strings.FieldsSeq(b.command) {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

func (b block) parse() (Runbook, error) {
	return Parse(strings.NewReader(b.input), b.env)
}

func blocks(t *testing.T, file string) []block {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []block
	for part := range strings.SplitSeq(strings.TrimSuffix(string(text), "====\n"), "====\n\n") {
		var b block
		for strings.HasPrefix(part, "#") {
			line, rest, _ := strings.Cut(part, "\n")
			b.comment, part = b.comment+line+"\n", rest
		}
		var ok bool
		b.command, part, _ = strings.Cut(part, "\n")
		b.input, b.want, ok = strings.Cut("\n"+part, "\n----\n")
		b.input = strings.TrimPrefix(b.input+"\n", "\n")
		if !ok || !strings.HasPrefix(b.command, "parse") {
			t.Fatalf("%s: not a story: %q", file, part)
		}
		all = append(all, b)
	}
	return all
}

// runStories compares what comes of each story with what its file says, or rewrites it.
func runStories(t *testing.T, file string, outcome func(*testing.T, block) string) {
	t.Helper()
	var rewritten []string
	for _, b := range blocks(t, file) {
		got := outcome(t, b)
		if !*update && got != b.want {
			t.Errorf("%s\n%s%s----\ngot:\n%s\nwant:\n%s", b.command, b.comment, b.input, got, b.want)
		}
		rewritten = append(rewritten, b.comment+b.command+"\n"+b.input+"----\n"+got+"====\n")
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(rewritten, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatIsAcceptedPrintsAndParsesToTheSame(t *testing.T) {
	t.Parallel()
	runStories(t, "testdata/accepted.txt", func(t *testing.T, b block) string {
		r, err := b.parse()
		if err != nil {
			t.Errorf("%s: %v", b.input, err)
			return err.Error() + "\n"
		}
		assertReadsBack(t, r)
		if verdict := schemaVerdict(t, b); verdict != "accepts" {
			t.Errorf("%s: the schema %s what Parse accepts", b.input, verdict)
		}
		return r.String()
	})
}

func TestWhatIsRefusedSaysWhereAndWhatToDo(t *testing.T) {
	t.Parallel()
	runStories(t, "testdata/refused.txt", func(t *testing.T, b block) string {
		r, err := b.parse()
		if err == nil {
			t.Errorf("%s: accepted as\n%s", b.input, r)
			return "accepted\n"
		}
		all, ok := errors.AsType[Errors](err)
		if !ok {
			t.Fatalf("%s: got a %T, want Errors", b.input, err)
		}
		for _, e := range all {
			if e.Line < 1 || strings.Contains(e.Error(), "hunter") || strings.Contains(e.Error(), "HOMEword") {
				t.Errorf("%s: without a line, or with a secret: %v", b.input, e)
			}
		}
		return err.Error() + "\n(schema " + schemaVerdict(t, b) + ")\n"
	})
}
