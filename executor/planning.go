package executor

import (
	"slices"

	"drain/plan"
	"drain/runbooks"
)

// PlanRequest is what a runbook asks of the planner.
func PlanRequest(rb runbooks.Runbook) plan.Request {
	req := plan.Request{
		Brokers: rb.Brokers, Destinations: rb.Destinations, DestinationRacks: rb.DestinationRacks, Exclude: rb.Exclude,
		BytesPerSec: throttleOf(rb), Slack: rb.Slack, DiskHeadroom: rb.DiskHeadroom, AcceptRisks: rb.AcceptRisks,
		InFlight: rb.MaxInFlight, InFlightPerBroker: rb.MaxInFlightPerBroker, Longest: rb.Deadline,
	}
	if rb.Mode == runbooks.AtRisk {
		req.Mode = plan.AtRisk
	}
	for _, p := range rb.ExcludeTopics {
		req.ExcludeTopics = append(req.ExcludeTopics, p)
	}
	return req
}

// request is PlanRequest as the run stands: without the brokers that were
// stopped, which may not receive either, and with the moves that are ours.
func (r *run) request(h *history, draining []int32) plan.Request {
	req := PlanRequest(r.cfg.Runbook)
	stopped := h.stopped()
	req.Brokers = without(req.Brokers, stopped)
	req.Draining = union(draining, stopped)
	req.Own = h.own()
	req.BytesPerSec = r.throttle(h)
	req.WriteRate = r.grows
	return req
}

// throttle is the rate as it is now: a person may have changed it.
func (r *run) throttle(h *history) int64 {
	if h.throttle != nil {
		return *h.throttle
	}
	return throttleOf(r.cfg.Runbook)
}

// draining are the brokers that other runs on this host drain.
func (r *run) draining() ([]int32, error) {
	others, err := r.locks.others()
	if err != nil {
		return nil, err
	}
	var ids []int32
	for _, by := range others {
		ids = append(ids, by.Broker)
	}
	return ids, nil
}

// compute plans from a picture of now, with nothing for some brokers.
func (r *run) compute(c plan.Cluster, h *history, exclude ...int32) (plan.Plan, error) {
	draining, err := r.draining()
	if err != nil {
		return plan.Plan{}, err
	}
	c.Notes = h.withoutOwnRates(c.Notes)
	c.Brokers = h.withoutOwnThrottles(c.Brokers)
	req := r.request(h, draining)
	req.Exclude = union(req.Exclude, exclude)
	return r.cfg.Plan(c, req)
}

// record writes a plan down.
func (r *run) record(p plan.Plan, round int) error {
	return r.append(planRecords(p, round)...)
}

// planRecords are a plan in parts.
func planRecords(p plan.Plan, round int) []Record {
	moves := slices.Collect(slices.Chunk(p.Moves, partitionsPerRecord))
	left := slices.Collect(slices.Chunk(p.Left, partitionsPerRecord))
	records := make([]Record, max(1, len(moves), len(left)))
	for i := range records {
		part := &PlanPart{Round: round, More: i+1 < len(records)}
		if i < len(moves) {
			for _, m := range moves[i] {
				part.Moves = append(part.Moves, moveRecord(m))
			}
		}
		if i < len(left) {
			part.Left = partitions(left[i])
		}
		records[i] = Record{Kind: KindPlan, Broker: none, Text: summary(p), Plan: part}
	}
	return records
}
