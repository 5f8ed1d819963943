package runbooks

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Error is one thing that is wrong with a runbook or a flag. It never holds a
// secret, nor anything that came from the environment.
type Error struct {
	File    string // empty until the caller adds it, see Errors.In
	Line    int    // from 1; 0 when nothing was written, as with a flag
	Key     string // dotted path, or the flag with its dashes; may be empty
	Message string
	Remedy  string // what to write instead; may be empty
}

// Error is one line: place, key, what is wrong, and the remedy.
func (e *Error) Error() string {
	parts := make([]string, 0, 3)
	if p := e.place(); p != "" {
		parts = append(parts, p)
	}
	if e.Key != "" {
		parts = append(parts, e.Key)
	}
	s := strings.Join(append(parts, e.Message), ": ")
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

func (e *Error) place() string {
	switch {
	case e.File != "" && e.Line > 0:
		return fmt.Sprintf("%s:%d", e.File, e.Line)
	case e.Line > 0:
		return fmt.Sprintf("line %d", e.Line)
	}
	return e.File
}

// Errors is all that is wrong, in line order. Every error of this package that
// blames the runbook or a flag is one, so that errors.As finds it, and finds the
// first *Error in it too.
type Errors []*Error

// Error is one line for each error.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As look at each.
func (es Errors) Unwrap() []error {
	all := make([]error, len(es))
	for i, e := range es {
		all[i] = e
	}
	return all
}

// In is the same errors, of this file.
func (es Errors) In(file string) Errors {
	named := make(Errors, len(es))
	for i, e := range es {
		c := *e
		c.File = file
		named[i] = &c
	}
	return named
}

// sorted is es as an error, in line order, or nil when nothing is wrong.
func (es Errors) sorted() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key))
	})
	return es
}

// refusal is the error of one value, before it is known where the value stood.
func refusal(remedy, format string, args ...any) error {
	return &Error{Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

// placed is the refusal err at a line and key.
func placed(err error, line int, key string) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return &Error{Line: line, Key: key, Message: e.Message, Remedy: e.Remedy}
	}
	return &Error{Line: line, Key: key, Message: err.Error()}
}
