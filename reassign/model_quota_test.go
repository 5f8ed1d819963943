package reassign

import "time"

// quotas are what the leaders' quotas remember: the throttled bytes that each
// broker sent in the last eleven seconds. Since every fetch is recorded, the
// memory is there, and empty, before a throttle is set.
type quotas map[int32][]sending

type sending struct {
	at    time.Time
	bytes float64
}

func (q quotas) record(broker int32, at time.Time, bytes float64, throttled bool) {
	if throttled {
		q[broker] = append(q[broker], sending{at, bytes})
	}
}

// left is what may pass now at a rate: nothing while the memory holds more than
// the rate allows.
func (q quotas) left(broker int32, now time.Time, rate float64) float64 {
	remembered := q[broker]
	for len(remembered) > 0 && now.Sub(remembered[0].at) >= quotaWindow*time.Second {
		remembered = remembered[1:]
	}
	q[broker] = remembered
	left := rate * quotaWindow
	for _, s := range remembered {
		left -= s.bytes
	}
	return max(0, left)
}
