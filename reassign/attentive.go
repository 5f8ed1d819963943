package reassign

import (
	"context"
	"fmt"
	"sync"
	"time"

	"drain/plan"
)

// silence is how long a controller may leave a request unanswered before that is
// told. A new one is elected sooner as a rule.
const silence = 5 * time.Second

// attentive is a [Mover] that tells once when the controller does not answer:
// a request waits for it for half a minute, and nothing else would be said.
type attentive struct {
	Mover
	report func(Event)

	mu    sync.Mutex
	since time.Time // of the first request without an answer; zero: none
	told  bool
}

// Alter is that of the Mover.
func (a *attentive) Alter(ctx context.Context, targets []Target) (refused []PartitionError, err error) {
	answered := a.ask()
	defer func() { answered(err) }()
	return a.Mover.Alter(ctx, targets)
}

// InFlight is that of the Mover.
func (a *attentive) InFlight(ctx context.Context) (all []InFlight, err error) {
	answered := a.ask()
	defer func() { answered(err) }()
	return a.Mover.InFlight(ctx)
}

// Elect is that of the Mover.
func (a *attentive) Elect(ctx context.Context, of []plan.TopicPartition) (failed []PartitionError, err error) {
	answered := a.ask()
	defer func() { answered(err) }()
	return a.Mover.Elect(ctx, of)
}

// ask begins a request, and returns what ends it. In between the goroutine that
// drives is at rest, so that the timer may report in its place.
func (a *attentive) ask() (answered func(error)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.since.IsZero() {
		a.since = time.Now()
	}
	waits := true
	timer := time.AfterFunc(silence, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if waits {
			a.tell()
		}
	})
	return func(err error) {
		timer.Stop()
		a.mu.Lock()
		defer a.mu.Unlock()
		waits = false
		if err == nil || !a.told { // an error that came soon is an answer, and told as such
			a.heard()
		}
	}
}

func (a *attentive) tell() {
	if !a.told {
		a.told = true
		a.report(Event{Kind: Silent, Text: fmt.Sprintf("no answer from the controller for %v; moves go on in Kafka", silence)})
	}
}

func (a *attentive) heard() {
	if a.told {
		a.report(Event{Kind: Heard, Text: fmt.Sprintf("the controller answers again, after %v", time.Since(a.since).Round(time.Second))})
	}
	a.since, a.told = time.Time{}, false
}
