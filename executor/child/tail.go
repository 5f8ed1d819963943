package child

import (
	"bytes"
	"fmt"
	"os"
)

const (
	// mostLines are handed on; the rest of a flood stays in the file.
	mostLines = 200
	// longestLine is cut here.
	longestLine = 1000
	// lastBytes of the output are kept for the journal.
	lastBytes = 4 << 10
	// mostBytes is the size at which the file is emptied, so that a flood does
	// not fill the disk with the journal on it.
	mostBytes = 16 << 20
)

// tail follows a file that somebody else appends to.
type tail struct {
	path   string
	file   *os.File // nil if it cannot be read
	line   func(string)
	part   []byte // of a line that has no end yet
	end    []byte // the last bytes that were read
	lines  int
	offset int64
}

func newTail(path string, line func(string)) *tail {
	// Output is shown as a courtesy: a file that cannot be opened is no reason
	// to fail a command that runs.
	file, _ := os.OpenFile(path, os.O_RDWR, 0)
	return &tail{path: path, file: file, line: line}
}

// follow reads what was written since it was last asked.
func (t *tail) follow() {
	if t.file == nil {
		return
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := t.file.ReadAt(buf, t.offset)
		t.offset += int64(n)
		t.take(buf[:n])
		if err != nil || n == 0 {
			break
		}
	}
	if t.offset > mostBytes && t.file.Truncate(0) == nil {
		// The child appends: its next write goes to the new end.
		t.offset = 0
		t.say(fmt.Sprintf("(the output was over %d bytes: %s was emptied)", mostBytes, t.path))
	}
}

func (t *tail) take(data []byte) {
	t.end = append(t.end, data...)
	t.end = t.end[max(0, len(t.end)-lastBytes):]
	t.part = append(t.part, data...)
	for {
		text, rest, found := bytes.Cut(t.part, []byte("\n"))
		if !found {
			break
		}
		t.part = rest
		t.show(text)
	}
	if len(t.part) > longestLine {
		t.show(t.part)
		t.part = nil
	}
}

func (t *tail) show(text []byte) {
	switch {
	case t.lines < mostLines:
		t.say(string(text[:min(len(text), longestLine)]))
	case t.lines == mostLines:
		t.say("(more is in " + t.path + ")")
	}
	t.lines++
}

func (t *tail) say(text string) {
	if t.line != nil {
		t.line(text)
	}
}

// last is the end of the output, with the line that has no end.
func (t *tail) last() string {
	if len(t.part) > 0 {
		t.show(t.part)
		t.part = nil
	}
	return string(bytes.ToValidUTF8(t.end, []byte("?")))
}

func (t *tail) close() {
	if t.file != nil {
		t.file.Close()
	}
}
