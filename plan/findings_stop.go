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

// quorumLost asks for the controllers' majority.
func quorumLost(d *drain, _ *Plan) []Finding { return QuorumWithout(d.c, d.r.Brokers) }

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
