package kafka

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
	"drain/reassign"
)

// readFenced reads the brokers that are registered without a heartbeat, which
// only clusters from 4.0 on tell (KIP-1073).
func (p *picture) readFenced(ctx context.Context) error {
	if maxVersion(p.apis, kmsg.DescribeCluster) < 2 {
		return nil
	}
	req := kmsg.NewPtrDescribeClusterRequest()
	req.IncludeFencedBrokers = true
	answer, err := p.client.askBroker(ctx, p.via, req)
	if err != nil {
		return fmt.Errorf("describe cluster: %w", err)
	}
	resp := answer.(*kmsg.DescribeClusterResponse)
	if err := fault(resp.ErrorCode, resp.ErrorMessage); err != nil {
		return fmt.Errorf("describe cluster: %w", err)
	}
	for _, b := range resp.Brokers {
		alive := slices.ContainsFunc(p.meta.Brokers, func(m kmsg.MetadataResponseBroker) bool { return m.NodeID == b.NodeID })
		if b.IsFenced && !alive {
			p.fenced = append(p.fenced, b)
		}
	}
	return nil
}

// addBrokers hands the brokers to the builder.
func (p *picture) addBrokers(b *plan.Builder) {
	counts := p.replicaCounts()
	for _, m := range p.meta.Brokers {
		broker := plan.Broker{
			ID: m.NodeID, Rack: words(m.Rack), Host: m.Host, Port: m.Port,
			CapacityBytes: plan.Unknown, UsableBytes: plan.Unknown,
		}
		if a := p.accountOf(m.NodeID); len(a.dirs) > 0 {
			broker.LogDirs = a.logDirs(p.drained(m.NodeID) || p.scope.Sizes, counts[m.NodeID])
			broker.CapacityBytes, broker.UsableBytes = volumes(broker.LogDirs)
			broker.Cordoned = cordoned(a.dirs)
		}
		if p.scope.Space { // else it may have been told long ago
			broker.Throttle = throttle(p.accountOf(m.NodeID).settings, reassign.DynamicBroker)
		}
		b.Broker(broker)
	}
	for _, f := range p.fenced {
		b.Broker(plan.Broker{
			ID: f.NodeID, Rack: words(f.Rack), Host: f.Host, Port: f.Port, State: plan.Fenced,
			CapacityBytes: plan.Unknown, UsableBytes: plan.Unknown,
		})
	}
}

// replicaCounts counts the replicas of each broker in the lists.
func (p *picture) replicaCounts() map[int32]int {
	counts := map[int32]int{}
	for _, topic := range p.topics {
		for _, part := range topic.Partitions {
			for _, r := range part.Replicas {
				counts[r]++
			}
		}
	}
	return counts
}
