package e2e_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"drain/internal/kafkatest"
)

// traffic watches the links of all brokers from outside, several times a second.
type traffic struct {
	c *kafkatest.Cluster

	mu      sync.Mutex
	samples []sample
}

// sample is what has passed each port up to a moment.
type sample struct {
	at    time.Time
	bytes map[port]int64
}

// port is one direction of a broker's link.
type port struct {
	broker int32
	out    bool
}

func (p port) String() string {
	if p.out {
		return fmt.Sprintf("out of broker %d", p.broker)
	}
	return fmt.Sprintf("into broker %d", p.broker)
}

// watchTraffic begins to watch; the cluster needs Spec.Relay.
func watchTraffic(t *testing.T, c *kafkatest.Cluster) *traffic {
	t.Helper()
	w := &traffic{c: c}
	watch(t, 250*time.Millisecond, func(context.Context) { w.take() })
	return w
}

func (w *traffic) take() {
	s := sample{at: time.Now(), bytes: map[port]int64{}}
	for _, id := range w.c.Brokers() {
		s.bytes[port{id, false}], s.bytes[port{id, true}] = w.c.Relay(id).Bytes()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.samples = append(w.samples, s)
}

// between are the samples of a span of time.
func (w *traffic) between(from, to time.Time) []sample {
	w.mu.Lock()
	defer w.mu.Unlock()
	var some []sample
	for _, s := range w.samples {
		if !s.at.Before(from) && !s.at.After(to) {
			some = append(some, s)
		}
	}
	return some
}

// mean is the bytes a second of each port over a span of time.
func (w *traffic) mean(from, to time.Time) map[port]float64 {
	some := w.between(from, to)
	if len(some) < 2 {
		return nil
	}
	first, last := some[0], some[len(some)-1]
	return rates(first, last)
}

func rates(a, b sample) map[port]float64 {
	per := map[port]float64{}
	for at, bytes := range b.bytes {
		per[at] = float64(bytes-a.bytes[at]) / b.at.Sub(a.at).Seconds()
	}
	return per
}

// peak is the most that one port carried over usual during any window of that
// length, in bytes a second.
func (w *traffic) peak(from, to time.Time, window time.Duration, usual map[port]float64) (port, float64) {
	some := w.between(from, to)
	var busiest port
	var most float64
	for i, j := 0, 0; j < len(some); j++ {
		for some[j].at.Sub(some[i].at) > window {
			i++
		}
		if some[j].at.Sub(some[i].at) < window*9/10 {
			continue
		}
		for at, rate := range rates(some[i], some[j]) {
			if rate -= usual[at]; rate > most {
				busiest, most = at, rate
			}
		}
	}
	return busiest, most
}

// profile is what a port carried in each five seconds of a span, in MB a second.
func (w *traffic) profile(at port, from, to time.Time) []string {
	var steps []string
	some := w.between(from, to)
	for i := 0; i < len(some); {
		j := i
		for j < len(some)-1 && some[j].at.Sub(some[i].at) < 5*time.Second {
			j++
		}
		if j == i {
			break
		}
		steps = append(steps, fmt.Sprintf("%.1f", rates(some[i], some[j])[at]/1e6))
		i = j
	}
	return steps
}
