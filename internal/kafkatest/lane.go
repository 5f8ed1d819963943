package kafkatest

import (
	"sync"
	"sync/atomic"
	"time"
)

// lane is one direction of a broker's link to the network. All connections that
// use it share its rate.
type lane struct {
	bytes atomic.Int64 // passed so far

	mu   sync.Mutex
	rate int64     // bytes per second; 0 is no limit
	free time.Time // when all that was admitted has passed
}

// admit takes room for n bytes and returns how long they have to wait for it.
// Chunks pass in the order of the calls, so that busy connections take turns.
func (l *lane) admit(n int, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rate == 0 {
		return 0
	}
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(n) * time.Second / time.Duration(l.rate))
	return l.free.Sub(now)
}

// limit sets the rate for all that comes after.
func (l *lane) limit(bytesPerSec int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate, l.free = bytesPerSec, time.Time{}
}
