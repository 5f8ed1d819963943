package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
)

// lines reads what a person types, a line for each question. A read cannot be
// interrupted: that of a question which has ended goes on, for the next one.
// Nothing is read while nobody was asked, since that stops a job in the background
// of a terminal.
type lines struct {
	r io.Reader

	mu      sync.Mutex
	in      *bufio.Reader // nil: nothing was read yet
	reading bool
	waits   chan<- reply // the question that is open; nil: none
}

type reply struct {
	line string
	err  error
}

// read is the next line without the space around it, or the cause of ctx. What
// is typed while nobody reads after a question that ended is an answer to none.
func (l *lines) read(ctx context.Context) (string, error) {
	got := make(chan reply, 1)
	l.open(got)
	defer l.open(nil)
	select {
	case a := <-got:
		return a.line, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (l *lines) open(question chan<- reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits = question
	if question == nil || l.reading {
		return
	}
	if l.in == nil {
		l.in = bufio.NewReader(l.r)
	}
	l.reading = true
	go l.next()
}

// next reads a line, and gives it to the question that is open then.
func (l *lines) next() {
	line, err := l.in.ReadString('\n')
	if line != "" {
		err = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reading = false
	if l.waits != nil {
		l.waits <- reply{strings.TrimSpace(line), err}
		l.waits = nil
	}
}
