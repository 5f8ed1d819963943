package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"drain/plan"
	"drain/reassign"
)

// Sweep is a cleanup without a journal: it tells what fits a drain of the
// runbook's brokers, asks, takes the moves in flight back and clears the
// settings. What is not clear is told and left alone. The runbook may be one
// without a file: then cfg.Path is empty.
func Sweep(ctx context.Context, cfg Config) (Done, error) {
	r := newRun(cfg)
	if err := r.noJournal(); err != nil {
		return Done{}, err
	}
	found, err := r.orphans(ctx)
	if err != nil {
		return Done{}, err
	}
	defer func() { r.warn(r.locks.release()) }()
	r.tellOrphans(found)
	if found.Empty() {
		r.say(EventSkip, "nothing fits a drain of %s", plan.BrokerNames(found.Brokers))
		return Done{}, nil
	}
	if _, err := r.agreed(ctx, "Cancel "+plan.Count(len(found.Moves), "move", "moves")+" and clear "+plan.Count(len(found.Debts), "setting", "settings")+"?"); err != nil {
		return Done{}, err
	}
	return Done{Changed: true}, r.sweep(ctx, found)
}

// noJournal refuses where a journal knows better: what was set before, and in
// which order replicas were.
func (r *run) noJournal() error {
	if r.cfg.Path == "" {
		return nil
	}
	records, err := Peek(r.files)
	if err != nil || len(records) == 0 || ended(records) {
		return nil //nolint:nilerr // one that cannot be read is as good as none
	}
	return fmt.Errorf("%w: %s is open and knows what was there before: run `drain cleanup %s` without --no-journal", ErrUsage, r.files.Journal(), r.cfg.Path)
}

// orphans looks at the cluster, and takes the locks of the brokers the first
// time: a run of this host that is alive knows better than anybody.
func (r *run) orphans(ctx context.Context) (Orphans, error) {
	brokers := r.cfg.Runbook.Brokers
	c, err := r.cfg.survey(ctx, brokers)
	if err != nil {
		return Orphans{}, err
	}
	if err := plan.CheckBrokers(&c, brokers); err != nil {
		return Orphans{}, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	unread := slices.DeleteFunc(plan.Blocking(c.Notes), func(f plan.Finding) bool { return f.Risk == hiddenRate }) // it is what is swept
	if len(unread) > 0 {
		return Orphans{}, &Refusal{Kind: ErrRefused, Text: "not everything could be read:", Findings: unread}
	}
	configs, err := r.brokerConfigs(ctx, live(&c))
	if err != nil {
		return Orphans{}, err
	}
	if r.locks == nil {
		if r.locks, err = lockBrokers(r.cfg.LockDir, c.ID, brokers, cmp.Or(r.cfg.Path, "cleanup --no-journal")); err != nil {
			return Orphans{}, err
		}
	}
	found := orphansOf(&c, configs, brokers)
	for _, id := range without(brokers, live(&c)) {
		found.Alone = append(found.Alone, fmt.Sprintf("broker %d is down: what is set there cannot be read; start it, and run this again", id))
	}
	return found, nil
}

// brokerConfigs are the settings of brokers, all of them or an error.
func (r *run) brokerConfigs(ctx context.Context, brokers []int32) ([]reassign.ResourceConfig, error) {
	var of []reassign.Resource
	for _, id := range brokers {
		of = append(of, reassign.OfBroker(id))
	}
	configs, err := r.cfg.Configs.Configs(ctx, of)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, c := range configs {
		if c.Err != nil {
			errs = append(errs, fmt.Errorf("settings of broker %s: %w", c.Name, c.Err))
		}
	}
	return configs, errors.Join(errs...)
}

// tellOrphans says what would be done and what is left alone, before anybody is
// asked.
func (r *run) tellOrphans(o Orphans) {
	for _, m := range o.Moves {
		r.say(EventFound, "the move of %v from %v to %v is in flight: to be cancelled", m.TopicPartition, m.From, m.To)
	}
	for _, d := range o.Debts {
		r.say(EventFound, "%v holds %s: to be cleared", d, content(d))
	}
	for _, why := range o.Alone {
		r.say(EventSkip, "left alone: %s", why)
	}
}

// sweep opens the brokers first, since a cordoned one may be in no list that is
// submitted; then a mover that takes what was found for its own does the rest.
func (r *run) sweep(ctx context.Context, o Orphans) error {
	var errs []error
	debts := slices.Clone(o.Debts)
	debts = slices.DeleteFunc(debts, func(d reassign.Debt) bool {
		if d.Key != reassign.CordonedDirs {
			return false
		}
		if err := r.uncover(ctx, d); err != nil {
			errs = append(errs, fmt.Errorf("uncordon broker %s: %w", d.Resource.Name, err))
		}
		return true
	})
	options := r.cfg.moveOptions()
	options.Own = o.Moves
	mover := r.mover(ledger{func(...Record) error { return nil }}, debts, options)
	if len(o.Moves) > 0 {
		errs = append(errs, mover.Cancel(ctx))
	}
	errs = append(errs, mover.Settle(ctx))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", ErrDebt, err)
	}
	return r.sweptClean(ctx)
}

// sweptClean looks again.
func (r *run) sweptClean(ctx context.Context) error {
	rest, err := r.orphans(ctx)
	if err != nil || rest.Empty() {
		return err
	}
	return fmt.Errorf("%w: %s and %v are still there; run it again", ErrDebt, plan.Count(len(rest.Moves), "move", "moves"), rest.Debts)
}

// content is what a setting holds that is to be cleared.
func content(d reassign.Debt) string {
	if len(d.Entries) > 0 {
		return fmt.Sprint(d.Entries)
	}
	return d.Set
}
