package executor

import (
	"slices"

	"drain/plan"
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
