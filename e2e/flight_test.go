package e2e_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/internal/kafkatest"
)

// flight notes from outside when partitions are being reassigned.
type flight struct {
	client *kgo.Client
	landed chan struct{} // closed when none was in flight for three seconds after some were
	once   sync.Once     // closes it

	mu          sync.Mutex
	first, last time.Time // of the looks that showed some in flight
}

// watchFlight begins to look, ten times a second.
func watchFlight(t *testing.T, c *kafkatest.Cluster) *flight {
	t.Helper()
	f := &flight{client: c.Client(), landed: make(chan struct{})}
	watch(t, 100*time.Millisecond, f.look)
	return f
}

// look asks once. A look that gets no answer says nothing.
func (f *flight) look(ctx context.Context) {
	resp, err := kmsg.NewPtrListPartitionReassignmentsRequest().RequestWith(ctx, f.client) // nil topics: all
	if err != nil || resp.ErrorCode != 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch now := time.Now(); {
	case len(resp.Topics) > 0:
		if f.last = now; f.first.IsZero() {
			f.first = now
		}
	case !f.first.IsZero() && now.Sub(f.last) > 3*time.Second:
		f.once.Do(func() { close(f.landed) })
	}
}

// wait waits until all has landed.
func (f *flight) wait(t *testing.T, limit time.Duration) {
	t.Helper()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-f.landed:
	case <-late.C:
		t.Fatalf("something is in flight, or nothing has been, for %v", limit)
	}
}

// span is from the first look that showed a move in flight to the last.
func (f *flight) span() (began, ended time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first, f.last
}
