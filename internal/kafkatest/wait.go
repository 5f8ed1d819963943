package kafkatest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// pollEvery is the pause between two looks at a cluster that is waited for.
const pollEvery = 50 * time.Millisecond

// WaitBrokers waits until Metadata lists exactly the brokers ids, as seen by
// every one of them that runs and is not frozen by Stop. The error says who saw
// what last.
func (c *Cluster) WaitBrokers(ctx context.Context, ids ...int32) error {
	want := slices.Sorted(slices.Values(ids))
	return poll(ctx, fmt.Sprintf("metadata to list brokers %v", want), func() error {
		return c.brokersListed(ctx, want)
	})
}

// waitReady is WaitBrokers for all brokers, and gives up when a server dies.
func (c *Cluster) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for _, n := range c.nodes {
		go func() {
			select {
			case <-n.process().done:
				cancel(fmt.Errorf("node %d ended during its start:\n%s", n.id, tail(n.log, tailLines)))
			case <-ctx.Done():
			}
		}()
	}
	return c.WaitBrokers(ctx, c.Brokers()...)
}

// brokersListed says who does not list exactly the wanted brokers.
func (c *Cluster) brokersListed(ctx context.Context, want []int32) error {
	asked := 0
	for _, id := range want {
		if !c.node(id).answers() {
			continue
		}
		asked++
		seen, err := c.BrokersSeenBy(ctx, id)
		if err != nil {
			return err
		}
		if !slices.Equal(seen, want) {
			return fmt.Errorf("broker %d lists %v", id, seen)
		}
	}
	if asked == 0 {
		return fmt.Errorf("none of %v runs", want)
	}
	return nil
}

// BrokersSeenBy lists the brokers in one broker's own Metadata, sorted.
func (c *Cluster) BrokersSeenBy(ctx context.Context, id int32) ([]int32, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // none, where nil would be all
	resp, err := ask[*kmsg.MetadataResponse](ctx, c, id, req)
	if err != nil {
		return nil, err
	}
	var ids []int32
	for _, b := range resp.Brokers {
		ids = append(ids, b.NodeID)
	}
	return slices.Sorted(slices.Values(ids)), nil
}

// ask puts a request to one broker, and to no other in its place.
func ask[R kmsg.Response](ctx context.Context, c *Cluster, id int32, req kmsg.Request) (R, error) {
	var none R
	seed := slices.Index(c.Brokers(), id) // the judge's seeds have that order
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	resp, err := c.judge.SeedBrokers()[seed].Request(ctx, req)
	if err != nil {
		return none, fmt.Errorf("%s to broker %d: %w", kmsg.NameForKey(req.Key()), id, err)
	}
	return resp.(R), nil
}

// poll calls look until it has nothing to complain about. When the context ends
// first, the error holds its cause and the last complaint.
func poll(ctx context.Context, what string, look func() error) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		last := look()
		if last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w (last: %w)", what, context.Cause(ctx), last)
		case <-tick.C:
		}
	}
}
