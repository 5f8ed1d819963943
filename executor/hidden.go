package executor

import (
	"slices"

	"drain/plan"
	"drain/reassign"
)

// hiddenRate is the finding of a throttle rate whose value the broker does not
// tell (2.4).
const hiddenRate = "hidden-throttle"

// withoutOwnRates leaves out the rates that this run itself has set and still
// owes: those it can give back without being told.
func (h *history) withoutOwnRates(notes []plan.Finding) []plan.Finding {
	return slices.DeleteFunc(slices.Clone(notes), func(f plan.Finding) bool {
		if f.Risk != hiddenRate {
			return false
		}
		for _, d := range h.book.Open() {
			if d.Resource.Broker() == f.Broker && d.Key == f.Key {
				return true
			}
		}
		return false
	})
}

// withoutOwnThrottles leaves the rates that this run itself has set and still owes
// out of the brokers: a plan goes by the rate that it would set now.
func (h *history) withoutOwnThrottles(brokers []plan.Broker) []plan.Broker {
	all := slices.Clone(brokers)
	for _, d := range h.book.Open() {
		i := slices.IndexFunc(all, func(b plan.Broker) bool { return b.ID == d.Resource.Broker() })
		switch {
		case i < 0:
		case d.Key == reassign.LeaderRate:
			all[i].Throttle.Leader = 0
		case d.Key == reassign.FollowerRate:
			all[i].Throttle.Follower = 0
		}
	}
	return all
}
