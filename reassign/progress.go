package reassign

import "time"

// rest is the bytes left of a move, over all its destinations.
func (t *track) rest() int64 { return max(0, t.left) * int64(len(t.To)) }

// progress sums the run up. Bytes are measured for the moves in flight, planned
// for the others.
func (r *run) progress() Progress {
	p := Progress{
		MovesTotal: len(r.tracks), Limit: r.rate, BytesPerSec: r.meter.total(), Left: -1,
		InFlight: r.flights(func(t *track) bool { return t.stage == moving }),
	}
	var left int64
	for _, t := range r.tracks {
		p.BytesTotal += t.Bytes
		switch {
		case t.stage == void || t.stage == failed:
			p.MovesTotal--
			p.BytesTotal -= t.Bytes
		case t.stage >= arrived:
			p.Bytes += t.Bytes
			p.Moves++
		default:
			left += t.rest()
			p.Bytes += max(0, t.Bytes-t.rest())
		}
	}
	if p.BytesPerSec > 0 {
		p.Left = time.Duration(float64(left) / float64(p.BytesPerSec) * float64(time.Second))
	}
	return p
}
