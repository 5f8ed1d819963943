package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
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
	if s.peek() != c {
		s.fail("want %q, found %s", c, s.found())
		return
	}
	s.pos++
}

// object calls field for each key; field reads the value, and key is good until
// then. A key of the names that comes twice is an error: the file would mean
// two things.
func (s *scanner) object(names []string, field func(name int)) {
	s.expect('{')
	var seen uint64
	for more := s.peek() != '}'; more && s.err == nil; more = s.comma('}') {
		name := s.key(names)
		if name < 0 {
			s.skip(0)
			continue
		}
		if seen&(1<<name) != 0 {
			s.fail("the key %q is there twice", names[name])
		}
		seen |= 1 << name
		field(name)
	}
	s.expect('}')
}

// key reads a key and the colon, and returns its place among the names, or -1.
func (s *scanner) key(names []string) int {
	key := s.string()
	at := -1
	for i, name := range names {
		if string(key) == name {
			at = i
			break
		}
	}
	s.expect(':') // may read on, over the key
	return at
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

// bool reads true, false, or null, which is false.
func (s *scanner) bool() bool {
	switch s.peek() {
	case 't':
		s.word("true")
		return true
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.fail("want true or false, found %s", s.found())
	}
	return false
}

// int64 reads a whole number.
func (s *scanner) int64() int64 {
	c := s.peek()
	if n, ok := s.shortNumber(); ok {
		return n
	}
	negative := c == '-'
	if negative {
		s.pos++
		c = s.digit()
	}
	if c < '0' || c > '9' {
		s.fail("want a whole number, found %s", s.found())
		return 0
	}
	var n int64
	for zero := c == '0'; c >= '0' && c <= '9'; c = s.digit() {
		if n > (math.MaxInt64-9)/10 {
			s.fail("a number is too large")
			return 0
		}
		n = n*10 + int64(c-'0')
		s.pos++
		if zero {
			c = s.digit()
			break
		}
	}
	if c = s.digit(); c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' {
		s.fail("want a whole number without leading zeros, fraction or exponent")
	}
	if negative {
		return -n
	}
	return n
}

// shortNumber reads a number of up to 18 digits that lies in the buffer with the
// byte behind it, as nearly all do. It reads nothing if there is none.
func (s *scanner) shortNumber() (n int64, ok bool) {
	text := s.buf[s.pos:s.end]
	for i, c := range text {
		if c >= '0' && c <= '9' {
			n = n*10 + int64(c-'0')
			continue
		}
		plain := i > 0 && i <= 18 && (i == 1 || text[0] != '0') && c != '.' && c != 'e' && c != 'E'
		if plain {
			s.pos += i
		}
		return n, plain
	}
	return 0, false
}

// digit is the byte at pos, blanks included; 0 at the end.
func (s *scanner) digit() byte {
	if s.pos == s.end && !s.fill() {
		return 0
	}
	return s.buf[s.pos]
}

// int32 reads a whole number of 32 bits.
func (s *scanner) int32() int32 {
	n := s.int64()
	if n != int64(int32(n)) {
		s.fail("%d is out of range", n)
	}
	return int32(n)
}

// int32s appends the members of a list of numbers.
func (s *scanner) int32s(list []int32) []int32 {
	s.array(func() { list = append(list, s.int32()) })
	return list
}

// string reads a string. The bytes are good until the next one is read.
func (s *scanner) string() []byte {
	if s.peek() != '"' {
		s.fail("want a string, found %s", s.found())
		return nil
	}
	s.pos++
	// Nearly every string is short, has no escapes, and lies in the buffer.
	if n := bytes.IndexByte(s.buf[s.pos:s.end], '"'); n >= 0 && plainText(s.buf[s.pos:s.pos+n]) {
		s.pos += n + 1
		return s.buf[s.pos-n-1 : s.pos-1]
	}
	s.text = s.text[:0]
	for s.err == nil {
		switch c := s.take(); {
		case c == '"':
			return s.text
		case c == '\\':
			s.escape()
		case c < ' ' && s.err == nil:
			s.fail("a string holds the control character %#02x", c)
		case len(s.text) >= mostString:
			s.fail("a string is longer than %d bytes", mostString)
		default:
			s.text = append(s.text, c)
		}
	}
	return nil
}

func plainText(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c == '\\' {
			return false
		}
	}
	return true
}

func (s *scanner) escape() {
	switch c := s.take(); c {
	case '"', '\\', '/':
		s.text = append(s.text, c)
	case 'b', 'f', 'n', 'r', 't':
		s.text = append(s.text, "\b\f\n\r\t"[bytes.IndexByte([]byte("bfnrt"), c)])
	case 'u':
		r := s.hex()
		if utf16.IsSurrogate(r) {
			r = s.surrogate(r)
		}
		s.text = utf8.AppendRune(s.text, r)
	default:
		s.fail("an unknown escape in a string")
	}
}

// surrogate reads the second half of a pair.
func (s *scanner) surrogate(first rune) rune {
	if s.take() != '\\' || s.take() != 'u' {
		s.fail("half of a surrogate pair in a string")
		return 0
	}
	r := utf16.DecodeRune(first, s.hex())
	if r == utf8.RuneError {
		s.fail("half of a surrogate pair in a string")
	}
	return r
}

func (s *scanner) hex() rune {
	var digits [4]byte
	for i := range digits {
		digits[i] = s.take()
	}
	n, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		s.fail("want four hexadecimal digits after \\u")
	}
	return rune(n)
}

// skip reads a value of any kind and keeps nothing of it.
func (s *scanner) skip(depth int) {
	if depth > mostDepth {
		s.fail("values are nested more than %d deep", mostDepth)
		return
	}
	switch c := s.peek(); {
	case c == '{':
		s.expect('{')
		for more := s.peek() != '}'; more && s.err == nil; more = s.comma('}') {
			s.key(nil)
			s.skip(depth + 1)
		}
		s.expect('}')
	case c == '[':
		s.array(func() { s.skip(depth + 1) })
	case c == '"':
		s.string()
	case c == 't' || c == 'f' || c == 'n':
		s.bool()
	default:
		s.number()
	}
}

// number reads any JSON number as text.
func (s *scanner) number() []byte {
	s.text = s.text[:0]
	s.peek()
	for c := s.digit(); c != 0 && (c >= '0' && c <= '9' || bytes.IndexByte([]byte("+-.eE"), c) >= 0); c = s.digit() {
		if len(s.text) > 400 {
			s.fail("a number is too long")
			return nil
		}
		s.text = append(s.text, c)
		s.pos++
	}
	if _, err := strconv.ParseFloat(string(s.text), 64); s.err == nil && err != nil && !errors.Is(err, strconv.ErrRange) {
		s.fail("want a value, found %s", s.found())
	}
	return s.text
}

// scalar reads a string, number or truth value as text.
func (s *scanner) scalar() string {
	switch c := s.peek(); c {
	case '"':
		return string(s.string())
	case 't', 'f':
		return strconv.FormatBool(s.bool())
	}
	return string(s.number())
}

// end makes sure that nothing follows the document.
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
