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

// Assessment is what is known before anything is changed.
type Assessment struct {
	Cluster  plan.Cluster
	Plan     plan.Plan
	Findings []plan.Finding // of the plan and of everything else, sorted
	Fit      string         // when the moves are expected to be over, and when they must be; empty without moves or a throttle
}

// Assess looks at the cluster as the check step of a run does, but for the probe
// of the stop, and changes nothing: neither the cluster nor a journal.
func Assess(ctx context.Context, cfg Config) (Assessment, error) {
	r := newRun(cfg)
	if err := r.findCommands(); err != nil {
		return Assessment{}, err
	}
	records, err := Peek(r.files)
	if err != nil {
		return Assessment{}, err
	}
	if ended(records) {
		records = nil
	}
	c, err := cfg.survey(ctx, cfg.Runbook.Brokers)
	if err != nil {
		return Assessment{}, err
	}
	r.locks = &hostLocks{dir: r.cfg.LockDir, cluster: c.ID}
	return r.assess(ctx, c, fold(records))
}

func (r *run) assess(ctx context.Context, c plan.Cluster, h *history) (Assessment, error) {
	p, err := r.compute(c, h)
	if _, unknown := errors.AsType[*plan.UnknownBroker](err); unknown {
		return Assessment{}, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	if err != nil {
		return Assessment{}, err
	}
	if p, err = r.withWrites(ctx, c, p, h); err != nil {
		return Assessment{}, err
	}
	others, err := r.locks.others()
	if err != nil {
		return Assessment{}, err
	}
	pre := preflight{runbook: r.cfg.Runbook, brokers: without(r.cfg.Runbook.Brokers, h.stopped()), cluster: &c, plan: p, draining: others, rate: r.throttle(h), now: time.Now()}
	findings := pre.findings()
	r.nameOwners(c.ID, findings)
	left, err := r.leftovers(ctx, p, h)
	if err != nil {
		return Assessment{}, err
	}
	findings = append(findings, left...)
	slices.SortStableFunc(findings, plan.CompareFindings)
	return Assessment{Cluster: c, Plan: p, Findings: findings, Fit: fit(r.cfg.Runbook, p, pre.now)}, nil
}

// checkStep judges the plan and the cluster before anything is changed.
type checkStep struct {
	*run
	is Assessment
}

func (s *checkStep) observe(ctx context.Context) (string, error) {
	if err := s.findCommands(); err != nil {
		return "", err
	}
	return "", s.awaitForeign(ctx, func() ([]plan.Finding, error) {
		c, err := s.picture(ctx)
		if err != nil {
			return nil, err
		}
		s.is, err = s.assess(ctx, c, s.history())
		return s.is.Findings, err
	})
}

// findCommands looks for every program that the runbook will need.
func (r *run) findCommands() error {
	rb := r.cfg.Runbook
	argvs := [][]string{}
	if rb.Has(runbooks.Stop) {
		argvs = append(argvs, rb.Stop.Command)
	}
	if len(rb.Stop.Probe) > 0 {
		argvs = append(argvs, rb.Stop.Probe)
	}
	for _, s := range rb.Steps {
		if s.Run != nil {
			argvs = append(argvs, s.Run.Command)
		}
	}
	var errs []error
	for _, argv := range argvs {
		first, err := runbooks.Expand(argv[:1], runbooks.Placeholders{Broker: rb.Brokers[0], Host: "h", Rack: "r", Drain: r.cfg.Drain})
		if err == nil {
			err = r.cfg.Runner.Find(first)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: command %q: %w", ErrUsage, argv, err))
		}
	}
	return errors.Join(errs...)
}

func (s *checkStep) act(ctx context.Context) error {
	for _, b := range without(s.cfg.Runbook.Brokers, s.history().stopped()) {
		if f := s.probe(ctx, b, &s.is.Cluster); f != nil {
			s.is.Findings = append(s.is.Findings, *f)
		}
	}
	slices.SortStableFunc(s.is.Findings, plan.CompareFindings)
	s.event(Event{Kind: EventPlan, Plan: &s.is.Plan, Text: summary(s.is.Plan)})
	if s.is.Fit != "" {
		s.event(Event{Kind: EventFit, Text: s.is.Fit})
	}
	if len(s.is.Findings) > 0 {
		s.event(Event{Kind: EventFindings, Findings: s.is.Findings, Text: plan.Count(len(s.is.Findings), "finding", "findings")})
	}
	return context.Cause(ctx)
}

func (s *checkStep) verify(context.Context) (string, error) {
	if bad := plan.Blocking(s.is.Findings); len(bad) > 0 {
		return "", &Refusal{Kind: ErrRefused, Text: "refused, " + plan.BrokerNames(s.cfg.Runbook.Brokers) + " cannot be drained as asked:", Findings: bad}
	}
	return "nothing stands in the way: " + summary(s.is.Plan), nil
}

// probeTimeout is how long a probe may take.
const probeTimeout = time.Minute

// probe runs stop.probe for a broker that is up. It must exit with 0.
func (r *run) probe(ctx context.Context, broker int32, c *plan.Cluster) *plan.Finding {
	if len(r.cfg.Runbook.Stop.Probe) == 0 || !c.Live(broker) {
		return nil
	}
	bad := &plan.Finding{Level: plan.Block, Risk: "probe-failed", Partition: none, Broker: broker, Remedy: "make the probe succeed by hand first"}
	cmd, err := r.command("probe", r.cfg.Runbook.Stop.Probe, probeTimeout, c, broker)
	if err != nil {
		bad.Message = err.Error()
		return bad
	}
	exit, err := r.cfg.Runner.Run(ctx, cmd, r.startedAs(cmd))
	switch {
	case err != nil:
		bad.Message = fmt.Sprintf("the probe of the stop: %v", err)
	case exit.Code != 0 || exit.TimedOut:
		bad.Message = fmt.Sprintf("the probe of the stop %s", exit)
	default:
		return nil
	}
	return bad
}
