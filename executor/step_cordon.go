package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

// cordonStep closes the drained brokers to new replicas (KIP-1066). What cannot
// be cordoned is scanned for new replicas all the same.
type cordonStep struct {
	*run
	brokers []int32         // to be cordoned
	adopted []reassign.Debt // cordons of an earlier run
	failed  []error
}

const (
	// cordonVersion is the metadata.version from which a cordon works. Before
	// it an unknown broker setting is taken and does nothing.
	cordonVersion = 30
	// everyDir is the value that cordons all log dirs, however they are spelt.
	everyDir = "*"
	// cordonShows is how long a cordon may take to show in the log dirs.
	cordonShows = 15 * time.Second
)

func (s *cordonStep) observe(ctx context.Context) (string, error) {
	if s.cfg.Runbook.Cordon == runbooks.CordonOff {
		return "off in the runbook", nil
	}
	if s.cfg.Runbook.Mode == runbooks.AtRisk && len(s.cfg.Runbook.Brokers) > 1 {
		// Of two drained replicas of a partition one may stay, and a list that
		// holds a cordoned broker is refused (from 4.3.2 on, KAFKA-20832).
		return "not in mode at-risk with several brokers: a move may keep a replica on one of them; new replicas are looked for instead", nil
	}
	c, _, err := s.scan(ctx, s.witnesses(s.history()))
	if err != nil {
		return "", err
	}
	if c.Mode != plan.KRaft || c.MetadataVersion < cordonVersion {
		return fmt.Sprintf("this cluster cannot cordon (metadata.version %d, %d is needed): new replicas are looked for instead", c.MetadataVersion, cordonVersion), nil
	}
	up := 0
	for _, id := range s.cfg.Runbook.Brokers {
		b, _ := c.Broker(id)
		if b.Live() {
			up++
		}
		if b.Live() && !b.Cordoned {
			s.brokers = append(s.brokers, id)
		}
	}
	s.adopted = s.inherited(&c)
	switch {
	case up == 0:
		return "nobody to cordon: " + plan.BrokerNames(s.cfg.Runbook.Brokers) + " down", nil
	case len(s.brokers)+len(s.adopted) == 0:
		return "already cordoned", nil
	}
	s.warnFactor(&c)
	return "", nil
}

// warnFactor tells what a cordon takes away: a topic with as many replicas as
// there are brokers cannot be created meanwhile (seen on 4.4.0).
func (s *cordonStep) warnFactor(c *plan.Cluster) {
	most := 0
	for i := range c.NumPartitions() {
		p := c.Partition(i)
		most = max(most, len(p.Replicas)-len(p.Adding))
	}
	if open := len(without(live(c), s.cfg.Runbook.Brokers)); open < most {
		s.say(EventWarn, "with the cordon new replicas go to %s only: topics with %s, which are in use here, cannot be created meanwhile", plan.Count(open, "broker", "brokers"), plan.Count(most, "replica", "replicas"))
	}
}

func (s *cordonStep) act(ctx context.Context) error {
	for _, d := range s.adopted {
		if err := s.append(Record{Kind: KindOwe, Debt: &d}); err != nil {
			return err
		}
	}
	for _, b := range s.brokers {
		if err := s.cordon(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// cordon sets one broker's setting, after the debt is written down. A refusal
// is no reason to give up.
func (s *cordonStep) cordon(ctx context.Context, broker int32) error {
	of := reassign.OfBroker(broker)
	have, err := s.settings(ctx, of)
	if err != nil {
		return err
	}
	debt := reassign.DebtOn(have, reassign.CordonedDirs)
	debt.Set = everyDir
	if err := s.append(Record{Kind: KindOwe, Debt: &debt}); err != nil {
		return err
	}
	refused, err := s.cfg.Configs.AlterConfigs(ctx, []reassign.Change{{Resource: of, Key: debt.Key, Op: reassign.Set, Value: everyDir}})
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		s.failed = append(s.failed, refused[0])
		return s.append(Record{Kind: KindPaid, Debt: &debt})
	}
	return nil
}

// settings reads one resource.
func (r *run) settings(ctx context.Context, of reassign.Resource) (reassign.ResourceConfig, error) {
	configs, err := r.cfg.Configs.Configs(ctx, []reassign.Resource{of})
	if err != nil {
		return reassign.ResourceConfig{}, err
	}
	if len(configs) != 1 {
		return reassign.ResourceConfig{}, fmt.Errorf("%s %s: %d answers to one question", of.Kind, of.Name, len(configs))
	}
	return configs[0], configs[0].Err
}

// verify reads back: only the log dirs tell whether a cordon works.
func (s *cordonStep) verify(ctx context.Context) (string, error) {
	if len(s.failed) > 0 {
		return "not cordoned, new replicas are looked for instead: " + errors.Join(s.failed...).Error(), nil
	}
	for end := time.Now().Add(cordonShows); ; {
		c, _, err := s.scan(ctx, s.witnesses(s.history()))
		if err != nil {
			return "", err
		}
		open := slices.DeleteFunc(slices.Clone(s.brokers), func(id int32) bool { b, _ := c.Broker(id); return b.Cordoned })
		switch {
		case len(open) == 0 && len(s.brokers) == 0:
			return "cordoned since an earlier run, whose cordon this one takes over", nil
		case len(open) == 0:
			return "cordoned " + plan.BrokerNames(s.brokers), nil
		}
		if time.Now().After(end) {
			s.say(EventWarn, "the cordon of %s does not show in its log dirs: new replicas are looked for instead", plan.BrokerNames(open))
			return "set, and not seen to work", nil
		}
		if err := pause(ctx, s.cfg.Runbook.Poll); err != nil {
			return "", err
		}
	}
}

// uncordon gives back the cordons of these brokers that are ours.
func (r *run) uncordon(ctx context.Context, brokers []int32) error {
	cordons, _ := r.history().cordons()
	var errs []error
	for _, d := range cordons {
		if slices.Contains(brokers, d.Resource.Broker()) {
			errs = append(errs, r.lift(ctx, d))
		}
	}
	return errors.Join(errs...)
}

// lift gives one cordon back, and writes it down.
func (r *run) lift(ctx context.Context, d reassign.Debt) error {
	if err := r.uncover(ctx, d); err != nil {
		return fmt.Errorf("uncordon broker %s: %w", d.Resource.Name, err)
	}
	if err := r.append(Record{Kind: KindPaid, Debt: &d}); err != nil {
		return err
	}
	r.say(EventChange, "broker %s takes new replicas again", d.Resource.Name)
	return nil
}

// uncover opens a cordoned broker to new replicas. If somebody else has changed the
// setting meanwhile, it is theirs.
func (r *run) uncover(ctx context.Context, d reassign.Debt) error {
	have, err := r.settings(ctx, d.Resource)
	if now, ok := have.At(d.Key, reassign.DynamicBroker); err != nil || !ok || now != d.Set {
		return err
	}
	c := reassign.Change{Resource: d.Resource, Key: d.Key, Op: reassign.Delete}
	if d.Before != nil {
		c.Op, c.Value = reassign.Set, *d.Before
	}
	refused, err := r.cfg.Configs.AlterConfigs(ctx, []reassign.Change{c})
	if err == nil && len(refused) > 0 {
		err = refused[0]
	}
	return err
}
