package plan

import (
	"fmt"
	"slices"
	"strings"
)

// tooLong is a throttle at which the moves take longer than they may, or for
// ever.
func tooLong(d *drain, p *Plan) []Finding {
	f := Finding{Level: Block, Risk: "throttle-too-long", Partition: -1, Broker: -1, Remedy: "raise the throttle, or set a deadline that allows for it"}
	switch {
	case p.Totals.Never:
		least := FormatBytes(int64(d.least * 1.2))
		f.Message = fmt.Sprintf("at %s/s a broker can never catch up: as much is written to a partition that it has to copy, or to send; %s/s is the least that can end", FormatBytes(d.r.BytesPerSec), least)
		f.Remedy = "set a throttle of " + least + "/s or more"
	case p.Totals.Time > d.r.longest():
		limit := "with no deadline set"
		if d.r.Longest > 0 {
			limit = "the deadline"
		}
		f.Message = fmt.Sprintf("%s bytes at %s bytes a second are expected to take %s, and %s seconds (%s) at least: longer than %s, %s",
			digits(p.Totals.Bytes), digits(d.r.BytesPerSec), longText(p.Totals.Seconds), digits(int64(p.Totals.BoundSeconds)), longText(p.Totals.BoundSeconds),
			longText(d.r.longest().Seconds()), limit)
	default:
		return nil
	}
	return []Finding{f}
}

// quorumLost looks at the controller voters that go with the stop: the drained
// brokers themselves, and those on their hosts. Of n voters, more than half must
// be left alive and caught up, and n counts those that are gone.
func quorumLost(d *drain, _ *Plan) []Finding {
	q := d.c.Quorum
	if q == nil {
		return nil
	}
	var going, staying []int32
	for _, v := range q.Voters {
		switch {
		case d.goesWith(v):
			going = append(going, v.ID)
		case slices.Contains(q.Lagging, v.ID) || d.knownDead(v.ID):
		default:
			staying = append(staying, v.ID)
		}
	}
	if len(going) == 0 {
		return nil
	}
	need := len(q.Voters)/2 + 1
	f := Finding{Partition: -1, Broker: going[0], Risk: "quorum-lost",
		Message: fmt.Sprintf("of the controller voters %v the stop takes %v; %v are left alive and caught up, and %d are needed", voterIDs(q), going, staying, need),
		Remedy:  "bring the other voters back in step first, or move the voter elsewhere (AddRaftVoter, RemoveRaftVoter)",
	}
	switch {
	case len(staying) < need:
		f.Level = Block
	case len(staying) == need:
		f.Level, f.Risk = Warn, "quorum-thin"
		f.Message += ": none more may fail while it is down"
		f.Remedy = "none needed; keep the other voters up"
	default:
		return nil
	}
	return []Finding{f}
}

func voterIDs(q *Quorum) []int32 {
	var ids []int32
	for _, v := range q.Voters {
		ids = append(ids, v.ID)
	}
	return ids
}

// goesWith says that the voter is a drained broker, or on the host of one.
func (d *drain) goesWith(v Voter) bool {
	for _, id := range d.r.Brokers {
		b, _ := d.c.Broker(id)
		if v.ID == id || v.Host == b.Host && tellsHost(b.Host) {
			return true
		}
	}
	return false
}

// knownDead says that the voter is a broker too, and not alive.
func (d *drain) knownDead(id int32) bool {
	b, known := d.c.Broker(id)
	return known && !b.Live()
}

// tellsHost says that an address tells hosts apart. A loopback address does
// not: every host has it.
func tellsHost(host string) bool {
	return host != "" && host != "localhost" && host != "::1" && !strings.HasPrefix(host, "127.")
}

// sharedHosts are brokers on the host of a drained one: a stop command that
// stops all that runs there would take them too.
func sharedHosts(d *drain, _ *Plan) []Finding {
	var found []Finding
	for _, id := range slices.Sorted(slices.Values(d.r.Brokers)) {
		drained, _ := d.c.Broker(id)
		for _, b := range d.c.Brokers {
			if b.Host != drained.Host || !tellsHost(b.Host) || slices.Contains(d.r.Brokers, b.ID) {
				continue
			}
			found = append(found, Finding{
				Level: Warn, Risk: "shared-host", Partition: -1, Broker: b.ID,
				Message: fmt.Sprintf("broker %d is on the host of broker %d (%s)", b.ID, id, b.Host),
				Remedy:  "make sure that the stop command stops one broker only",
			})
		}
	}
	return found
}
