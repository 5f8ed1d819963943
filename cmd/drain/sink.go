package main

import (
	"sync"
	"time"

	"drain/executor"
)

// renderer prints events; it is called from one goroutine.
type renderer interface {
	event(executor.Event)
	close() // after the last event
}

// sink hands events to a renderer through a queue without a limit, so that a
// terminal that is held up, or a pipe that nobody reads, never holds up a run.
// Progress that was not printed in time is dropped for the newer one.
type sink struct {
	patience time.Duration
	mu       sync.Mutex
	queue    []executor.Event
	wake     chan struct{}
	closed   bool
	done     chan struct{}
}

// The patience of a sink at the end of a run.
const (
	forPeople   time.Duration = time.Second // the journal has it all
	forPrograms time.Duration = 0           // without limit: what is lost or out of order is no stream
)

func newSink(r renderer, patience time.Duration) *sink {
	s := &sink{patience: patience, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go s.print(r)
	return s
}

// Event queues the event.
func (s *sink) Event(ev executor.Event) {
	s.mu.Lock()
	last := len(s.queue) - 1
	if last >= 0 && ev.Kind == executor.EventProgress && s.queue[last].Kind == executor.EventProgress {
		s.queue[last] = ev
	} else {
		s.queue = append(s.queue, ev)
	}
	s.mu.Unlock()
	s.poke()
}

func (s *sink) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *sink) print(r renderer) {
	defer close(s.done)
	for range s.wake {
		s.mu.Lock()
		batch, closed := s.queue, s.closed
		s.queue = nil
		s.mu.Unlock()
		for _, ev := range batch {
			r.event(ev)
		}
		if closed {
			r.close()
			return
		}
	}
}

// close prints what is queued, and gives up when the patience is over.
func (s *sink) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.poke()
	var over <-chan time.Time
	if s.patience > 0 {
		over = time.After(s.patience)
	}
	select {
	case <-s.done:
	case <-over:
	}
}
