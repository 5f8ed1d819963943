package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"drain/plan"
	"drain/runbooks"
)

const (
	// scanGap lies between the two scans of a gate: what one broker has not
	// heard of yet, or a topic made just now, shows in the second.
	scanGap = 3 * time.Second
	// gatePatience is how long a gate waits for what may pass: a log that is
	// being removed, a replica that falls behind for a moment.
	gatePatience = 30 * time.Second
	// mostArrivals bounds how often new replicas on the target are moved.
	mostArrivals = 5
)

// scanGap is the time between two scans. The brokers of a simulated cluster have
// one mind, so that it need not be waited for.
func (r *run) scanGap() time.Duration {
	if r.cfg.Simulated != "" {
		return min(scanGap, r.cfg.Runbook.Poll)
	}
	return scanGap
}

// gate judges whether the target may be stopped, until it may, or nothing
// changes any more. It returns the last picture it was judged by.
func (r *run) gate(ctx context.Context, target int32, leaving []int32) (c *plan.Cluster, v verdict, err error) {
	err = r.within(ctx, func(ctx context.Context) error {
		c, v, err = r.judgement(ctx, target, leaving)
		return err
	})
	return c, v, err
}

func (r *run) judgement(ctx context.Context, target int32, leaving []int32) (*plan.Cluster, verdict, error) {
	for end := time.Now().Add(gatePatience); ; {
		q, err := r.question(ctx, target, leaving)
		if err != nil {
			return nil, verdict{}, err
		}
		v := judge(q)
		bad := plan.Blocking(v.findings)
		if len(bad) == 0 {
			return q.scans[1], v, nil
		}
		if len(v.arrived) > 0 && r.movable() {
			return nil, v, r.arrive(v.arrived)
		}
		if time.Now().After(end) {
			return nil, v, &Refusal{Kind: ErrBlocked, Text: fmt.Sprintf("broker %d must not be stopped:", target), Findings: bad}
		}
		r.say(EventProgress, "not yet: %s", describe(bad[0]))
		if err := pause(ctx, r.cfg.Runbook.Poll); err != nil {
			return nil, v, err
		}
	}
}

// arrive writes down that replicas have come to the target, so that they are
// moved next.
func (r *run) arrive(on []Partition) error {
	r.say(EventWarn, "%s on a drained broker, such as that of %v: moved too", plan.Count(len(on), "new replica is", "new replicas are"), on[0])
	for part := range slices.Chunk(on, partitionsPerRecord) {
		if err := r.append(Record{Kind: KindArrived, Partitions: part}); err != nil {
			return err
		}
	}
	return errAgain
}

// movable says that new replicas can be moved: there is a step for it, and it
// was not done too often.
func (r *run) movable() bool {
	return r.cfg.Runbook.Has(runbooks.Move) && r.history().arrivals < mostArrivals
}

// question sees all that a judgement rests on, now.
func (r *run) question(ctx context.Context, target int32, leaving []int32) (question, error) {
	h := r.history()
	draining, err := r.draining()
	if err != nil {
		return question{}, err
	}
	_, owed := h.cordons()
	q := question{
		target: target, leaving: union(leaving, h.stopped()), draining: draining, cluster: h.header.Cluster,
		before: h.baseline, left: h.left, debts: owed, accept: r.cfg.Runbook.AcceptRisks,
		stays: r.cfg.Runbook.Mode == runbooks.AtRisk && !r.cfg.Runbook.Has(runbooks.Move),
	}
	if q.scans, err = r.scans(ctx, h); err != nil {
		return question{}, err
	}
	if q.dead = !q.scans[1].Live(target); !q.dead {
		q.logs, q.offline, q.logsFailed = r.cfg.Logs.Logs(ctx, target)
	}
	return q, nil
}

// scans takes two pictures some seconds apart, through two brokers that stay,
// or twice through the only one.
func (r *run) scans(ctx context.Context, h *history) ([2]*plan.Cluster, error) {
	var scans [2]*plan.Cluster
	ask := r.witnesses(h)
	if len(ask) == 1 {
		r.say(EventProgress, "broker %d is the only other one: it is asked twice", ask[0])
	}
	for i := range scans {
		if i > 0 {
			if err := pause(ctx, r.scanGap()); err != nil {
				return scans, err
			}
		}
		c, via, err := r.scan(ctx, ask)
		if err != nil {
			return scans, err
		}
		scans[i] = &c
		if rest := without(ask, []int32{via}); len(rest) > 0 {
			ask = rest
		}
	}
	return scans, nil
}

// witnesses are the brokers that may be asked: those that were live before the
// run and stay, or, where nobody else was, the drained ones. A restore has noted
// nobody and asks anyone.
func (r *run) witnesses(h *history) []int32 {
	if len(h.baseline.live) == 0 {
		return []int32{plan.AnyBroker}
	}
	if ids := without(h.baseline.live, r.cfg.Runbook.Brokers); len(ids) > 0 {
		return ids
	}
	return h.baseline.live
}

// scan is a picture through the first of the brokers that answers. It is
// errNoWitness if there is none.
func (r *run) scan(ctx context.Context, ask []int32) (plan.Cluster, int32, error) {
	if len(ask) == 0 {
		return plan.Cluster{}, none, errNoWitness
	}
	var errs []error
	for _, via := range ask {
		c, err := r.cfg.Observer.Snapshot(ctx, plan.Scope{Brokers: r.cfg.Runbook.Brokers, Via: via})
		if err == nil {
			return c, via, nil
		}
		if context.Cause(ctx) != nil {
			return plan.Cluster{}, none, context.Cause(ctx)
		}
		errs = append(errs, fmt.Errorf("ask broker %d: %w", via, err))
	}
	return plan.Cluster{}, none, errors.Join(errs...)
}
