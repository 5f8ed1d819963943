package reassign

import (
	"testing"
	"time"
)

func TestFluidTry(t *testing.T) {
	const rate = 50e6
	f := fluid{rate: rate, settle: 2 * time.Second, poll: time.Second, grow: 1 / (72 * time.Hour).Seconds()}
	slow := f
	slow.poll = 10 * time.Second
	for _, s := range shapes {
		loads := s.loads()
		var most int
		for _, c := range []struct {
			name string
			f    fluid
			p    policy
		}{
			{"lanes", f, lanesPolicy(rate, &most)},
			{"at once", f, atOnce},
			{"batches 50", slow, batches(50)},
			//{"batches 200", slow, batches(200)},
			//{"global 50", f, globalWindow(50)},
			//{"global 200", f, globalWindow(200)},
			//{"5 a broker", slow, perBroker(5)},
		} {
			start := time.Now()
			r := c.f.run(loads, c.p)
			t.Logf("%-14s %-12s %6.3f  finish %.2fh most %d lane %d copied %.3f mean %.2f (%v)", s.name, c.name, r.ratio(), r.finish/3600, r.most, r.mostLane, r.copied, r.mean, time.Since(start))
		}
	}
}
