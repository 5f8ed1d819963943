package runbooks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// MaxBytes is the most that a runbook may measure.
const MaxBytes = 1 << 20

// Options change how ParseWith reads.
type Options struct {
	// Flags are laid over the runbook in this order, before it is judged as a whole.
	Flags []Flag
}

// Flag is one key given on the command line. Several values are one list.
type Flag struct {
	Key    string // dotted path, see Keys
	Values []string
}

// Parse reads one runbook, strictly, and validates it. env looks up the names in
// "${NAME}". What is wrong comes back as Errors, each with its line; any other
// error is r's own.
func Parse(r io.Reader, env func(name string) (string, bool)) (Runbook, error) {
	return ParseWith(r, env, Options{})
}

// ParseWith is Parse with options.
func ParseWith(r io.Reader, env func(name string) (string, bool), o Options) (Runbook, error) {
	root, err := tree(r)
	if err != nil {
		return Runbook{}, err
	}
	rb, d := Defaults(), reader{env: env, lines: map[string]int{"": root.Line}}
	d.plain(root)
	if len(d.errs) == 0 {
		readSection(&d, keys(), "", root, &rb)
		rb.Present = d.present()
	}
	for _, f := range o.Flags {
		if err := rb.set(f.Key, f.Values); err != nil {
			d.errs = append(d.errs, err)
		}
	}
	// A misspelt key would be called missing too: the whole is judged only when
	// every part of it could be read.
	if len(d.errs) == 0 {
		d.errs = d.located(append(unversioned(rb), rb.problems()...))
	}
	if err := d.errs.sorted(); err != nil {
		return Runbook{}, err
	}
	return rb, nil
}

// unversioned is a rule of the file alone: flags have no version.
func unversioned(r Runbook) Errors {
	if !r.Present["version"] {
		return problem("version", "begin with version: 1", "not given")
	}
	return nil
}

// tree is the one document of r, a mapping.
func tree(r io.Reader) (*yaml.Node, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read runbook: %w", err)
	}
	if len(text) > MaxBytes {
		return nil, Errors{{Line: 1, Message: "larger than 1 MiB", Remedy: "is this the right file?"}}
	}
	if line, found := unreadable(text); found {
		return nil, Errors{{Line: line, Message: "not a text in UTF-8", Remedy: "is this the right file?"}}
	}
	docs, err := documents(text)
	switch {
	case err != nil:
		return nil, err
	case len(docs) == 0 || len(docs) == 1 && isNull(docs[0]):
		return nil, Errors{{Line: 1, Message: "the runbook is empty", Remedy: "the least that works has version, broker, cluster, throttle and stop"}}
	case len(docs) > 1:
		return nil, Errors{{Line: max(docs[1].Line, 1), Message: "a second document begins here", Remedy: "write one runbook to a file"}}
	case docs[0].Kind != yaml.MappingNode:
		return nil, Errors{{Line: docs[0].Line, Message: "not a runbook: it does not consist of keys and values", Remedy: `begin with "version: 1"`}}
	}
	return docs[0], nil
}

// unreadable finds the line with the first character that no text holds.
func unreadable(text []byte) (line int, found bool) {
	line = 1
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		switch {
		case c == '\n':
			line++
		case c == utf8.RuneError && size == 1, unicode.IsControl(c) && c != '\t' && c != '\r':
			return line, true
		}
		text = text[size:]
	}
	return line, false
}

// documents are the roots of the first two documents.
func documents(text []byte) (docs []*yaml.Node, err error) {
	// yaml.v3 panics on some input of which it says "please report".
	defer func() {
		if p := recover(); p != nil {
			docs, err = nil, Errors{{Line: 1, Message: "not YAML that can be read"}}
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for len(docs) < 2 {
		var doc yaml.Node
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return docs, nil
		case err != nil:
			return nil, Errors{syntaxError(err)}
		}
		root := doc.Content[0]
		if len(docs) == 1 {
			root.Line = max(root.Line, doc.Line)
		}
		docs = append(docs, root)
	}
	return docs, nil
}

var yamlMessage = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?(.*)$`)

// parserMessage are the complaints of yaml.v3's parser, as against those of its scanner.
var parserMessage = regexp.MustCompile(`^(did not find expected (<|key$|node content$|'-' indicator$|',' or)|found (undefined tag handle|duplicate %|incompatible))`)

// syntaxError is yaml.v3's complaint with its line. One of its messages quotes the
// runbook, which might be a password that begins with "*".
func syntaxError(err error) *Error {
	e := &Error{Line: 1, Message: "not YAML", Remedy: "check the indentation, and quote values with special characters"}
	m := yamlMessage.FindStringSubmatch(err.Error())
	if m == nil {
		return e
	}
	if n, err := strconv.Atoi(m[1]); err == nil {
		e.Line = n
		// The scanner counts lines from 1, the parser from 0.
		if parserMessage.MatchString(m[2]) {
			e.Line++
		}
	}
	if strings.HasPrefix(m[2], "unknown anchor") {
		return &Error{Line: e.Line, Message: "an alias is used, which runbooks do not allow", Remedy: `quote a value that begins with "*"`}
	}
	e.Message += ": " + m[2]
	return e
}
