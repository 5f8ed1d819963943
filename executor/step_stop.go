package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"drain/executor/child"
	"drain/plan"
	"drain/runbooks"
)

// stopStep stops a drained broker: the gate, the command, and the others see
// it leave. Once the command is journalled it is not run again unless it is
// certain that the first one is over and the broker still there.
type stopStep struct {
	*run
	broker int32

	cluster *plan.Cluster // as the gate saw it
	live    []int32       // brokers just before the stop
	absent  bool          // it went down by itself before anything was issued
	began   time.Time
	exit    *child.Exit // nil: the command was not seen to end
}

// observe looks whether the broker is still there. A stop that is in the
// balance is waited for first.
func (s *stopStep) observe(ctx context.Context) (string, error) {
	p := s.history().at(s.slot)
	if p.acted > 0 {
		s.live = p.act.Live
		if gone, err := s.afterCrash(ctx, p); err != nil || !gone {
			return "", err
		}
		return fmt.Sprintf("broker %d has left: its stop was issued before", s.broker), s.append(Record{Kind: KindGone})
	}
	c, _, err := s.scan(ctx, s.witnesses(s.history()))
	if err != nil {
		return "", err
	}
	if s.live = live(&c); c.Live(s.broker) {
		return "", nil
	}
	return s.down(ctx)
}

// down is for a broker that is not up: nothing is issued, if it is in no list.
func (s *stopStep) down(ctx context.Context) (string, error) {
	if err := s.awaitGone(ctx, s.broker, s.live, time.Now().Add(gatePatience)); err != nil {
		return "", fmt.Errorf("broker %d looks down, and the others do not agree: %w", s.broker, err)
	}
	if !s.absent { // else it was judged already
		if _, _, err := s.gate(ctx, s.broker, []int32{s.broker}); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("broker %d is down already and in no replica list; the stop is skipped", s.broker), s.append(Record{Kind: KindGone})
}

func (s *stopStep) act(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	c, v, err := s.gate(ctx, s.broker, []int32{s.broker})
	if err != nil {
		return err
	}
	s.cluster, s.live = c, live(c)
	if s.absent = !c.Live(s.broker); s.absent {
		return nil
	}
	rb := s.cfg.Runbook
	cmd, err := s.command("stop", rb.Stop.Command, rb.Stop.Timeout, c, s.broker)
	if err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	// From here on the broker may be stopped, whatever becomes of us.
	act := Act{Argv: cmd.Argv, Output: cmd.Output, Timeout: cmd.Timeout, Live: s.live, Proven: v.proven}
	if err := s.append(Record{Kind: KindAct, Act: &act}); err != nil {
		return err
	}
	s.began = time.Now()
	s.exit, err = s.issue(ctx, cmd, errand{name: "the stop command", kind: ErrStop, guard: s.guard})
	return err
}

// prepare does what may take time before the gate, so that nothing lies between
// that and the stop: is the command about this broker, does its probe succeed?
// It gives back what cannot be given back once the broker is gone and
// unregistered: a cordon would outlive it, and nobody could delete it.
func (s *stopStep) prepare(ctx context.Context) error {
	c, _, err := s.scan(ctx, s.witnesses(s.history()))
	if err != nil {
		return err
	}
	rb := s.cfg.Runbook
	bad := plan.Blocking(plan.Soften(unboundStop(preflight{runbook: rb, brokers: []int32{s.broker}, cluster: &c}), rb.AcceptRisks))
	if f := s.probe(ctx, s.broker, &c); f != nil {
		bad = append(bad, *f)
	}
	if len(bad) > 0 {
		return &Refusal{Kind: ErrBlocked, Text: "the stop is not issued:", Findings: bad}
	}
	if rb.Has(runbooks.Unregister) {
		return s.uncordon(ctx, []int32{s.broker})
	}
	return nil
}

// guard watches the other brokers until ctx ends. It returns if one leaves.
func (s *stopStep) guard(ctx context.Context) error {
	for pause(ctx, s.cfg.Runbook.Poll) == nil {
		if seen, err := s.look(ctx, s.broker, s.live); err == nil && len(seen.missing) > 0 {
			return left(seen.missing)
		}
	}
	return nil
}

// verify holds the exit of the command and what the others see against each
// other: neither is enough.
func (s *stopStep) verify(ctx context.Context) (string, error) {
	if s.absent {
		return s.down(ctx)
	}
	rb := s.cfg.Runbook
	accepted := !s.exit.TimedOut && s.exit.Killed == "" && slices.Contains(rb.Stop.AcceptExitCodes, s.exit.Code)
	end := s.tellsBy(ctx)
	if ofCommand := s.began.Add(rb.Stop.Timeout); accepted && ofCommand.After(end) {
		end = ofCommand
	}
	err := s.awaitGone(ctx, s.broker, s.live, end)
	switch {
	case context.Cause(ctx) != nil:
		return "", fmt.Errorf("%w: the stop command had %s, and broker %d has not been seen to leave yet; run again to go on", context.Cause(ctx), s.exit, s.broker)
	case errors.Is(err, errStays):
		return "", fmt.Errorf("%w: the command %s, but broker %d is still alive in the cluster", ErrStop, s.exit, s.broker)
	case err != nil:
		return "", fmt.Errorf("%w: the command %s: %w", ErrStop, s.exit, err)
	case !accepted:
		return "", fmt.Errorf("%w: broker %d has left, but the command %s; if that is fine, list the code in stop.acceptExitCodes, and run again", ErrStop, s.broker, s.exit)
	}
	s.awaitClosed(ctx, end)
	return fmt.Sprintf("broker %d has left, as other brokers tell", s.broker), s.append(Record{Kind: KindGone})
}

// tellsBy is when a broker that leaves can be told from one that stays: what was
// killed just now is listed until its session ends.
func (r *run) tellsBy(ctx context.Context) time.Time {
	return time.Now().Add(r.sessionTimeout(ctx) * 3 / 2)
}

// sessionTimeout is how long a broker that was killed stays listed. Where
// nobody tells, it is Kafka's default with room to spare.
func (r *run) sessionTimeout(ctx context.Context) time.Duration {
	d, err := r.cfg.Watcher.SessionTimeout(ctx)
	if err != nil || d <= 0 {
		r.log.Warn("session timeout is not known", "err", err)
		return 18 * time.Second // zookeeper.session.timeout.ms; KRaft has 9 s
	}
	return d
}

// awaitClosed waits until the broker's port is closed: one that has left may
// still be closing its logs. A port that stays open is only told, since it may
// be that of a proxy.
func (s *stopStep) awaitClosed(ctx context.Context, end time.Time) {
	b, ok := s.cluster.Broker(s.broker)
	if !ok || b.Host == "" || s.cfg.Dial == nil {
		return
	}
	address := b.Address()
	for s.cfg.Dial(ctx, address) == nil {
		if time.Now().After(end) || pause(ctx, s.cfg.Runbook.Poll) != nil {
			s.say(EventWarn, "%s still accepts connections: the process of broker %d may not have ended", address, s.broker)
			return
		}
	}
}
