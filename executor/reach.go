package executor

import "sync"

// reach is what other shells may change while a run is under way.
type reach struct {
	mu        sync.Mutex
	mover     Mover       // while moves are under way
	approved  chan Answer // nil: nobody waits for it
	cancelled error       // by whom; nil: it was not
}

func (r *reach) cancel(by error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancelled = by
}

// cancelledBy is an ErrCancelled that says by whom, or nil.
func (r *reach) cancelledBy() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cancelled
}

func (r *reach) hold(m Mover) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mover = m
}

func (r *reach) throttle(bytesPerSec int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mover != nil {
		r.mover.Throttle(bytesPerSec)
	}
}

// await says where an approval is waited for; the channel holds one.
func (r *reach) await(approved chan Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.approved = approved
}

// approve answers whoever waits, once.
func (r *reach) approve(a Answer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.approved == nil {
		return false
	}
	r.approved <- a
	r.approved = nil
	return true
}
