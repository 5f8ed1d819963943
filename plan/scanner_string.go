package plan

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

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
