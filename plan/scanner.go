package plan

import (
	"fmt"
	"io"
)

// SnapshotError is a snapshot file that cannot be read, and where.
type SnapshotError struct {
	Line   int   // from 1
	Offset int64 // bytes from the start
	Within string
	Reason string
	Err    error // of the reader, or nil
}

func (e *SnapshotError) Error() string {
	s := fmt.Sprintf("snapshot, line %d (byte %d): ", e.Line, e.Offset)
	if e.Within != "" {
		s += e.Within + ": "
	}
	return s + e.Reason
}

// Unwrap is the error of the reader.
func (e *SnapshotError) Unwrap() error { return e.Err }

// Limits of a snapshot file. What Kafka itself can hold is far below them.
const (
	mostDepth  = 100     // of nested values under keys that are not known
	mostString = 1 << 20 // bytes
	scanBuffer = 1 << 18
)

// scanner reads JSON by token from a stream, into values that the caller names:
// no tree is built, and a file of any length needs one buffer. It is strict
// about the form and knows nothing of snapshots.
//
// After the first error every call returns at once, so that callers look at err
// in the end only.
type scanner struct {
	r        io.Reader
	buf      []byte
	pos, end int
	before   int64 // bytes read before buf
	line     int
	err      error
	within   func() string // where in the document, for errors; may be nil

	text []byte // of the last string
}

func newScanner(r io.Reader) *scanner {
	return &scanner{r: r, buf: make([]byte, scanBuffer), line: 1}
}

// fill reads on. It says whether there is a byte at pos.
func (s *scanner) fill() bool {
	if s.err != nil {
		return false
	}
	s.before += int64(s.end)
	s.pos, s.end = 0, 0
	for range 100 { // as bufio: a reader that gives neither bytes nor an error
		n, err := s.r.Read(s.buf)
		s.end = n
		if n > 0 {
			return true
		}
		if err == io.EOF {
			s.fail("the file ends in the middle; was it cut off?")
			return false
		}
		if err != nil {
			s.failWith(err, err.Error())
			return false
		}
	}
	s.failWith(io.ErrNoProgress, io.ErrNoProgress.Error())
	return false
}

func (s *scanner) fail(format string, args ...any) { s.failWith(nil, fmt.Sprintf(format, args...)) }

func (s *scanner) failWith(err error, reason string) {
	if s.err != nil {
		return
	}
	e := &SnapshotError{Line: s.line, Offset: s.before + int64(s.pos), Reason: reason, Err: err}
	if s.within != nil {
		e.Within = s.within()
	}
	s.err = e
	s.pos, s.end = 0, 0
}

// peek is the next byte that is no blank, 0 after an error.
func (s *scanner) peek() byte {
	if s.pos < s.end && s.buf[s.pos] > ' ' {
		return s.buf[s.pos]
	}
	return s.pastBlanks()
}

func (s *scanner) pastBlanks() byte {
	for {
		for s.pos < s.end {
			switch c := s.buf[s.pos]; c {
			case '\n':
				s.line++
			case ' ', '\t', '\r':
			default:
				return c
			}
			s.pos++
		}
		if !s.fill() {
			return 0
		}
	}
}

// take is the next byte, whatever it is.
func (s *scanner) take() byte {
	if s.pos == s.end && !s.fill() {
		return 0
	}
	c := s.buf[s.pos]
	s.pos++
	return c
}

// found describes the next byte for an error.
func (s *scanner) found() string {
	switch c := s.peek(); {
	case s.err != nil:
		return "nothing"
	case c < ' ' || c > '~':
		return fmt.Sprintf("the byte %#02x", c)
	default:
		return fmt.Sprintf("%q", c)
	}
}

func (s *scanner) expect(c byte) {
	if s.pos < s.end && s.buf[s.pos] == c {
		s.pos++
		return
	}
	if s.peek() != c {
		s.fail("want %q, found %s", c, s.found())
		return
	}
	s.pos++
}

// comma says whether another member follows.
func (s *scanner) comma(end byte) bool {
	switch s.peek() {
	case ',':
		s.pos++
		return true
	case end:
		return false
	}
	s.fail("want ',' or %q, found %s", end, s.found())
	return false
}

// array calls element for each member. null is an empty one.
func (s *scanner) array(element func()) {
	if s.null() {
		return
	}
	s.expect('[')
	for more := s.peek() != ']'; more && s.err == nil; more = s.comma(']') {
		element()
	}
	s.expect(']')
}

// null reads a null, if there is one.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.word("null")
	return true
}

func (s *scanner) word(w string) {
	for i := range len(w) {
		if c := s.take(); c != w[i] {
			s.fail("want %s", w)
			return
		}
	}
}

// atEnd makes sure that nothing follows the document.
func (s *scanner) atEnd() {
	for s.err == nil {
		for s.pos < s.end {
			switch s.buf[s.pos] {
			case '\n':
				s.line++
			case ' ', '\t', '\r':
			default:
				s.fail("something follows the end of the snapshot: %s", s.found())
				return
			}
			s.pos++
		}
		n, err := s.r.Read(s.buf)
		s.before += int64(s.end)
		s.pos, s.end = 0, n
		if n == 0 && err == io.EOF {
			return
		}
		if err != nil && err != io.EOF {
			s.failWith(err, err.Error())
		}
	}
}
