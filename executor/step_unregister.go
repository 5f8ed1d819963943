package executor

import (
	"context"
	"fmt"
	"time"

	"drain/plan"
)

// unregisterStep takes a stopped broker out of the cluster's records. Kafka
// checks nothing here: it would do it to a live broker, or to one that lists
// still name.
type unregisterStep struct {
	*run
	broker int32
}

// unregisterShows is how long it may take to show.
const unregisterShows = 15 * time.Second

func (s *unregisterStep) observe(ctx context.Context) (string, error) {
	c, _, err := s.scan(ctx, s.witnesses(s.history()))
	if err != nil {
		return "", err
	}
	if _, registered := c.Broker(s.broker); !registered && s.history().at(s.slot).acted > 0 {
		return fmt.Sprintf("broker %d is already unregistered", s.broker), nil
	}
	return "", nil
}

func (s *unregisterStep) act(ctx context.Context) error {
	h := s.history()
	scans, err := s.scans(ctx, h)
	if err != nil {
		return err
	}
	if bad := s.obstacles(h, scans); len(bad) > 0 {
		return &Refusal{Kind: ErrBlocked, Text: fmt.Sprintf("broker %d must not be unregistered:", s.broker), Findings: bad}
	}
	if err := s.append(Record{Kind: KindAct, Act: &Act{}}); err != nil {
		return err
	}
	return s.cfg.Registry.Unregister(ctx, s.broker)
}

func (s *unregisterStep) obstacles(h *history, scans [2]*plan.Cluster) []plan.Finding {
	q := question{target: s.broker, cluster: h.header.Cluster, scans: scans}
	bad := append(sameCluster(q), nothingListed(q)...)
	for _, c := range scans {
		if c.Live(s.broker) {
			bad = append(bad, q.finding("", "stop it first", "broker %d is alive", s.broker))
			break
		}
	}
	// A later broker with the same id would come up with them, and once it is
	// unregistered nobody can change them.
	for _, d := range h.book.Open() {
		if d.Resource.Broker() == s.broker {
			bad = append(bad, q.finding("", "give it back by hand at a controller, or start the broker and run `drain cleanup`", "%v is still set", d))
		}
	}
	return bad
}

func (s *unregisterStep) verify(ctx context.Context) (string, error) {
	for end := time.Now().Add(unregisterShows); ; {
		c, _, err := s.scan(ctx, s.witnesses(s.history()))
		if err != nil {
			return "", err
		}
		if _, registered := c.Broker(s.broker); !registered {
			return fmt.Sprintf("broker %d is unregistered", s.broker), nil
		}
		if time.Now().After(end) {
			return "", fmt.Errorf("%w: broker %d was unregistered and is still registered", ErrBlocked, s.broker)
		}
		if err := pause(ctx, s.cfg.Runbook.Poll); err != nil {
			return "", err
		}
	}
}
