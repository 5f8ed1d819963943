package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Two yardsticks for a program that reads a file: what it takes to look at it and
// keep nothing.

// scanBytes knows of each byte whether it is in a string, and how deep.
func scanBytes(r io.Reader) error {
	buf := make([]byte, 1<<18)
	depth, quoted, escaped := 0, false, false
	for {
		n, err := r.Read(buf)
		for _, c := range buf[:n] {
			switch {
			case escaped:
				escaped = false
			case quoted:
				quoted, escaped = c != '"', c == '\\'
			case c == '"':
				quoted = true
			case c == '{' || c == '[':
				depth++
			case c == '}' || c == ']':
				depth--
			}
		}
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF):
			return err
		case depth != 0 || quoted:
			return fmt.Errorf("the file ends %d deep", depth)
		default:
			return nil
		}
	}
}

// scanTokens has encoding/json read token by token.
func scanTokens(r io.Reader) error {
	tokens := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	for {
		if _, err := tokens.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// scanned is the processor time of a scan of a file, from the disk or what the
// system has kept of it: the best of some.
func scanned(tries int, file string, scan func(io.Reader) error) (time.Duration, error) {
	var failed error
	took := best(tries, func() {
		f, err := os.Open(file)
		if err != nil {
			failed = err
			return
		}
		defer f.Close()
		if err := scan(f); err != nil {
			failed = fmt.Errorf("%s: %w", file, err)
		}
	})
	return took, failed
}
