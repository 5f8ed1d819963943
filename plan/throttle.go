package plan

import "fmt"

// Throttle is a replication throttle that stands in a cluster, bytes a second; 0
// is none.
type Throttle struct {
	Leader   int64 // of what a broker sends (leader.replication.throttled.rate)
	Follower int64 // of what it receives (follower.replication.throttled.rate)
}

// foreignThrottle is the risk word of a lower throttle that somebody else has set:
// it stays during the moves, unless that is accepted.
const foreignThrottle = "foreign-throttle"

// pace is what the broker sends and receives at, as multiples of the throttle of
// the request: less than 1 where a lower one stands, on it or as the default of the
// cluster.
func (c *Cluster) pace(b *Broker, r *Request) (sends, receives float64) {
	if r.BytesPerSec <= 0 || r.accepts(foreignThrottle) {
		return 1, 1
	}
	part := func(rates ...int64) float64 {
		least := r.BytesPerSec
		for _, n := range rates {
			if n > 0 {
				least = min(least, n)
			}
		}
		return float64(least) / float64(r.BytesPerSec)
	}
	return part(b.Throttle.Leader, c.Throttle.Leader), part(b.Throttle.Follower, c.Throttle.Follower)
}

// foreignThrottles are those that slow moves of the plan down.
func foreignThrottles(d *drain, _ *Plan) []Finding {
	var found []Finding
	for i := range d.nodes {
		n := &d.nodes[i]
		for _, k := range []struct {
			bytes     int64
			pace      float64
			key, what string
		}{
			{n.out, n.sends, "leader.replication.throttled.rate", "sends"},
			{n.in, n.receives, "follower.replication.throttled.rate", "receives"},
		} {
			if k.bytes == 0 || k.pace == 1 {
				continue
			}
			found = append(found, Finding{
				Level: Warn, Risk: foreignThrottle, Partition: -1, Broker: n.id, Key: k.key,
				Message: fmt.Sprintf("somebody has set a lower %s: broker %d %s %s at %s/s, not %s/s",
					k.key, n.id, k.what, FormatBytes(k.bytes), FormatBytes(int64(k.pace*float64(d.r.BytesPerSec))), FormatBytes(d.r.BytesPerSec)),
				Remedy: "delete it with kafka-configs if nobody needs it, or accept the risk: ours stands there while replicas move",
			})
		}
	}
	return found
}
