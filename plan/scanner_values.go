package plan

import (
	"bytes"
	"errors"
	"math"
	"strconv"
)

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
		digit := int64(c - '0')
		if n > (math.MaxInt64-digit)/10 {
			s.fail("a number is too large")
			return 0
		}
		n = n*10 + digit
		s.pos++
		if zero {
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
		if digit := c - '0'; digit <= 9 {
			n = n*10 + int64(digit)
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
	if all, ok := s.plainList(list); ok {
		return all
	}
	s.array(func() { list = append(list, s.int32()) })
	return list
}

// plainList is int32s for a list of numbers of up to nine digits, without blanks,
// that lies in the buffer as a whole: nearly all are, and they are most of a file.
// It reads nothing if there is none.
func (s *scanner) plainList(list []int32) (all []int32, ok bool) {
	if s.peek() != '[' {
		return nil, false
	}
	text := s.buf[s.pos:s.end]
	n, start := int32(0), 1
	for i := 1; i < len(text); i++ {
		c := text[i]
		if digit := c - '0'; digit <= 9 && i-start < 9 {
			n = n*10 + int32(digit)
			continue
		}
		if i == start || text[start] == '0' && i > start+1 || c != ',' && c != ']' {
			return nil, false
		}
		if list = append(list, n); c == ']' {
			s.pos += i + 1
			return list, true
		}
		n, start = 0, i+1
	}
	return nil, false
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
