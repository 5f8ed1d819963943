package plan

import "math"

// setLimits turns the budget of time, in bytes at the request's throttle, into
// the bytes that each broker may receive.
func (d *drain) setLimits(budget float64) {
	for i := range d.nodes {
		n := &d.nodes[i]
		n.limit = int64(math.Floor(budget * n.rate))
	}
}
