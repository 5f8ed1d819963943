package executor

import (
	"context"
	"errors"
	"fmt"

	"drain/plan"
)

// picture is a snapshot with all that a plan needs. The one with which this
// process began is as good as a new one, once.
func (r *run) picture(ctx context.Context) (plan.Cluster, error) {
	if c := r.first; c != nil {
		r.first = nil
		return *c, nil
	}
	return r.cfg.survey(ctx, r.cfg.Runbook.Brokers)
}

// survey is a picture with all that a plan needs for these brokers, and with what
// the login lacks to carry it out.
func (c Config) survey(ctx context.Context, brokers []int32) (plan.Cluster, error) {
	scope := PlanRequest(c.Runbook).Scope()
	scope.Brokers, scope.Rights = brokers, true
	return c.Observer.Snapshot(ctx, scope)
}

// observe writes down how the cluster is before anything is changed: what was
// broken before does not block, and what gets worse does.
func (r *run) observe(ctx context.Context) error {
	c, err := r.picture(ctx)
	if err != nil {
		return err
	}
	r.first = &c // for the check that follows at once
	return r.append(r.baselineRecords(&c)...)
}

// baselineRecords are how a cluster is, in parts.
func (r *run) baselineRecords(c *plan.Cluster) []Record {
	var records []Record
	for all, more := sick(c), true; more; {
		part := all[:min(len(all), partitionsPerRecord)]
		all = all[len(part):]
		more = len(all) > 0
		base := &Baseline{Partitions: c.NumPartitions(), Live: live(c), Targets: r.targets(c), Sick: part, More: more}
		records = append(records, Record{Kind: KindBaseline, Baseline: base})
	}
	return records
}

func (r *run) targets(c *plan.Cluster) []Target {
	var all []Target
	for _, id := range r.cfg.Runbook.Brokers {
		b, _ := c.Broker(id)
		all = append(all, Target{Broker: id, Host: b.Host, Rack: b.Rack})
	}
	return all
}

// consent asks a person before the first change.
func (r *run) consent(ctx context.Context) error {
	answer, err := r.agreed(ctx, "Drain "+plan.BrokerNames(r.cfg.Runbook.Brokers)+" as planned?")
	if err != nil {
		return err
	}
	return r.append(Record{Kind: KindConsent, Answer: &answer})
}

// agreed is a yes, from whoever may give it.
func (r *run) agreed(ctx context.Context, question string) (Answer, error) {
	switch {
	case r.cfg.Simulated != "":
		return Answer{Who: r.cfg.Who, How: "simulated cluster"}, nil
	case r.cfg.Yes:
		return Answer{Who: r.cfg.Who, How: "--yes"}, nil
	}
	answer, err := r.cfg.Confirmer.Ask(ctx, question)
	switch {
	case errors.Is(err, ErrNobody):
		err = &Refusal{Kind: ErrUsage, Text: "there is no terminal to ask on: pass --yes to agree beforehand"}
	case errors.Is(err, ErrDeclined):
		err = fmt.Errorf("%w: %w", ErrInterrupted, err)
	}
	return answer, err
}
