package reassign

import "time"

// tell reports how far the run is.
func (d *Driver) tell(r *run) {
	p := r.progress()
	d.report(Event{Kind: Progressed, Progress: &p})
}

func (r *run) progress() Progress {
	p := Progress{MovesTotal: len(r.tracks), Limit: r.rate, BytesPerSec: r.meter.total(), Left: -1}
	var left int64
	for _, t := range r.tracks {
		p.BytesTotal += t.Bytes
		if t.stage >= arrived {
			p.Bytes += t.Bytes
			p.Moves++
			continue
		}
		rest := max(0, t.left) * int64(len(t.To))
		left += rest
		p.Bytes += max(0, t.Bytes-rest)
		if t.stage == moving {
			p.InFlight = append(p.InFlight, Flight{TopicPartition: t.TopicPartition, Left: rest, Quiet: t.quiet})
		}
	}
	if p.BytesPerSec > 0 {
		p.Left = time.Duration(float64(left) / float64(p.BytesPerSec) * float64(time.Second))
	}
	return p
}
