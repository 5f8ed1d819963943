package executor

import (
	"context"
	"time"

	"drain/plan"
)

// measured is how long logs are watched for what is written to them: so many
// looks, but no longer than that.
const (
	measuredLooks     = 2
	measuredAtLongest = 5 * time.Second
)

// withWrites plans again with what is written to the partitions that move, by
// how their logs grow until a second picture: it is copied too, and a throttle
// under it never ends. Without moves or a throttle there is nothing to ask.
func (r *run) withWrites(ctx context.Context, c plan.Cluster, p plan.Plan, h *history) (plan.Plan, error) {
	if p.Totals.Moves == 0 || r.throttle(h) == 0 {
		return p, nil
	}
	if err := pause(ctx, min(measuredLooks*r.cfg.Runbook.Poll, measuredAtLongest)); err != nil {
		return plan.Plan{}, err
	}
	later, err := r.cfg.Observer.Snapshot(ctx, PlanRequest(r.cfg.Runbook).Scope())
	if err != nil {
		return plan.Plan{}, err
	}
	if r.grows = plan.Growth(&c, &later, p.Moves); r.grows == nil {
		return p, nil
	}
	return r.compute(c, h)
}
