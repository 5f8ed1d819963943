package runbooks

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestParseReadsNoMoreThanItNeedsToSeeThatItIsTooMuch(t *testing.T) {
	t.Parallel()
	endless := &counter{}
	_, err := Parse(endless, noEnv)
	if err == nil || err.Error() != "line 1: larger than 1 MiB; is this the right file?" {
		t.Errorf("got %v", err)
	}
	if endless.n != MaxBytes+1 {
		t.Errorf("read %d bytes, want %d", endless.n, MaxBytes+1)
	}
}

// counter is a reader of comments that never ends, and counts what was taken.
type counter struct{ n int }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	c.n += len(p)
	return len(p), nil
}

func TestParseOfExactlyTheMost(t *testing.T) {
	t.Parallel()
	text := small + strings.Repeat("#", MaxBytes-len(small))
	if _, err := Parse(strings.NewReader(text), noEnv); err != nil {
		t.Errorf("of %d bytes: %v", len(text), err)
	}
}

func TestParseHandsOnTheErrorOfItsReader(t *testing.T) {
	t.Parallel()
	_, err := Parse(io.MultiReader(strings.NewReader("version: 1"), iotest.ErrReader(io.ErrClosedPipe)), noEnv)
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want the reader's error", err)
	}
	if _, ok := errors.AsType[*Error](err); ok {
		t.Errorf("%v blames the runbook", err)
	}
}

func TestParseRefusesWhatIsNoText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"\x00", "\x7fELF\x02\x01", "name: \xff\xfe", "name: a\x00b", "PK\x03\x04", "name: \x1b[31m", "\xff\xfea\x00"} {
		_, err := Parse(strings.NewReader("# x\n"+text), noEnv)
		if err == nil || err.Error() != "line 2: not a text in UTF-8; is this the right file?" {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if _, err := Parse(strings.NewReader("\ufeff"+small), noEnv); err != nil {
		t.Errorf("with a byte order mark: %v", err)
	}
}

// What is no runbook at all must not flood the terminal. That it takes no long time
// either is seen from the test's own: a quadratic step would take minutes.
func TestParseGivesUpOnSomeOtherFile(t *testing.T) {
	t.Parallel()
	const size = MaxBytes / 4
	for name, text := range map[string]string{
		"unknown keys":          strings.Repeat("k: v\n", size/5),
		"bad ids":               "brokers: [" + strings.Repeat("0x1,", size/4-10) + "1]",
		"list items":            strings.Repeat("- a\n", size/4),
		"brackets":              strings.Repeat("[", size),
		"braces":                strings.Repeat("{a: ", size/4),
		"questions":             strings.Repeat("? ", size/2),
		"one word":              strings.Repeat("a", size),
		"a long name of a key":  strings.Repeat("a", size-3) + ": 1",
		"many brokers, twice":   "brokers: [" + manyIDs() + manyIDs() + "0]",
		"many different topics": "version: 1\nexcludeTopics: [" + manyIDs() + "0]",
	} {
		_, err := Parse(strings.NewReader(text), noEnv)
		if err == nil || strings.Count(err.Error(), "\n") > 20 || len(err.Error()) > 8000 {
			t.Errorf("%s: got %.200v", name, err)
		}
	}
}

func manyIDs() string {
	var b bytes.Buffer
	for i := range 10_000 {
		b.WriteString(count(0, 1e6).print(i) + ",")
	}
	return b.String()
}

func TestPresentTellsADefaultFromTheSameValueGiven(t *testing.T) {
	t.Parallel()
	r := parsed(t, small+"poll: 1s\n")
	for key, want := range map[string]bool{
		"version": true, "broker": true, "brokers": false, "cluster": true, "cluster.simulated": true, "cluster.bootstrap": false,
		"throttle": true, "throttle.max": true, "poll": true, "stallAfter": false, "stop": true, "stop.command": true, "stop.timeout": false,
	} {
		if r.Present[key] != want {
			t.Errorf("%s: present is %t, want %t", key, r.Present[key], want)
		}
	}
}

func TestErrorsNameTheirFile(t *testing.T) {
	t.Parallel()
	_, err := Parse(strings.NewReader("throtle: 10MB/s\npoll: 5"), noEnv)
	all, ok := errors.AsType[Errors](err)
	if !ok {
		t.Fatalf("got %T", err)
	}
	named := all.In("broker-1.yaml")
	want := "broker-1.yaml:1: throtle: unknown key; did you mean throttle?\n" +
		"broker-1.yaml:2: poll: \"5\" has no unit; write \"5s\" if seconds are meant"
	if named.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", named, want)
	}
	if first, ok := errors.AsType[*Error](named); !ok || first.Line != 1 || first.Key != "throtle" || first.File != "broker-1.yaml" {
		t.Errorf("the first error is %+v", first)
	}
	if strings.Contains(err.Error(), "broker-1.yaml") {
		t.Errorf("the original was changed: %v", err)
	}
}

// The scanner of yaml.v3 counts lines from 1, its parser from 0, and it leaves out the first.
func TestSyntaxErrorsAreOnTheRightLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		line int
	}{
		{"\tname: a", 1},
		{"name: a\n\tbroker: 1", 2},
		{"name: a\nreason: b: c", 2},
		{"name: a\nreason: @c", 2},
		{"name: a\nreason: \"\\q\"", 2},
		{"name: a\nstop: {command: [a}", 2},
		{"name: a\n\nstop: {command: [a], b", 3},
		{"name: a\n- b", 2},
		{"name: a\nreason: !x!y z", 2},
		{"name: a\nreason: *b", 1}, // an alias without its anchor comes without a line
	} {
		_, err := Parse(strings.NewReader(c.text), noEnv)
		if e, ok := errors.AsType[*Error](err); !ok || e.Line != c.line {
			t.Errorf("%q: got %v, want line %d", c.text, err, c.line)
		}
	}
}

func TestRemediesCanBeWritten(t *testing.T) {
	t.Parallel()
	r := parsed(t, strings.Replace(small, "stop:", "steps: [check, move, verify, "+runExample+", "+approveExample+", stop]\nstop:", 1))
	if len(r.Steps) != 6 || r.Steps[3].Run.Name != "page" || r.Steps[4].Approve != "is the batch job done?" {
		t.Errorf("got %+v", r.Steps)
	}
}

func TestVariablesThatAreNoText(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"a\x00b", "\xff"} {
		_, err := Parse(strings.NewReader("name: ${X}"), func(string) (string, bool) { return value, true })
		if err == nil || err.Error() != "line 1: name: the value of ${X} is not text" {
			t.Errorf("%q: got %v", value, err)
		}
	}
}
