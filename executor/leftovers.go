package executor

import (
	"context"
	"fmt"
	"slices"

	"drain/plan"
	"drain/reassign"
)

// leftovers are replication throttles that somebody else has left on brokers
// that will copy: with them the moves may be slower than asked for.
func (r *run) leftovers(ctx context.Context, p plan.Plan, h *history) ([]plan.Finding, error) {
	var brokers []int32
	for _, m := range p.Moves {
		brokers = union(union(brokers, m.Before), m.After)
	}
	var of []reassign.Resource
	for _, b := range brokers {
		of = append(of, reassign.OfBroker(b))
	}
	if len(of) == 0 {
		return nil, nil
	}
	configs, err := r.cfg.Configs.Configs(ctx, of)
	if err != nil {
		return nil, err
	}
	ours := h.book.Open()
	var all []plan.Finding
	for _, c := range configs {
		for _, key := range []string{reassign.LeaderRate, reassign.FollowerRate} {
			value, set := c.At(key, reassign.DynamicBroker)
			own := slices.ContainsFunc(ours, func(d reassign.Debt) bool { return d.Resource == c.Resource && d.Key == key })
			if set && !own {
				all = append(all, plan.Finding{Level: plan.Warn, Risk: "leftover-throttle", Partition: none, Broker: c.Broker(),
					Message: fmt.Sprintf("broker %s has %s=%s already: while replicas move the lower of it and ours holds, and afterwards it stands as before", c.Name, key, value),
					Remedy:  "delete it if nobody needs it any more"})
			}
		}
	}
	return all, nil
}
