package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
	"drain/reassign"
)

// Snapshot takes one consistent picture of the cluster: the reassignments in
// flight are read before the partitions and again after them, and what changed
// in between is read anew. In KRaft the broker that is asked must first know all
// that was committed before. Each broker is asked about itself; one that does not
// answer is a finding in Notes, and so is everything else that is missing.
// An error means that there is no picture: no broker answered, or the one named
// in the scope did not.
func (c *Client) Snapshot(ctx context.Context, s plan.Scope) (plan.Cluster, error) {
	const attempts = 3
	var tried []int32
	for {
		via, err := c.seatFor(ctx, s.Via, tried)
		if err != nil {
			return plan.Cluster{}, fmt.Errorf("snapshot: %w", err)
		}
		tried = append(tried, via)
		p := picture{client: c, scope: s, via: via}
		cluster, err := p.take(ctx)
		if err == nil {
			return cluster, nil
		}
		// Another broker may do better, unless it was Kafka that refused.
		if len(tried) == attempts || s.Via >= 0 || ctx.Err() != nil || isRefusal(err) {
			return plan.Cluster{}, fmt.Errorf("snapshot as seen by broker %d: %w", via, err)
		}
		c.log.InfoContext(ctx, "snapshot begun again with another broker", "broker", via, "err", err)
	}
}

// Look takes a picture of what is healthy, as cheaply as can be: Snapshot with
// no brokers in the scope, which may be a moment old.
func (c *Client) Look(ctx context.Context) (plan.Cluster, error) {
	return c.Snapshot(ctx, plan.Scope{Via: plan.AnyBroker})
}

// seatFor finds a broker that answers, for all questions of one picture. One
// that was tried comes again if there is no other.
func (c *Client) seatFor(ctx context.Context, via int32, tried []int32) (int32, error) {
	if via >= 0 {
		return via, nil
	}
	if _, err := c.metadata(ctx, anyBroker, []string{}); err != nil {
		return 0, err
	}
	ids := c.candidates()
	if len(ids) == 0 {
		return 0, errors.New("metadata lists no broker")
	}
	for _, id := range ids {
		if !slices.Contains(tried, id) {
			return id, nil
		}
	}
	return ids[0], nil
}

func isRefusal(err error) bool {
	var kafka *kerr.Error
	return errors.As(err, &kafka) && !kafka.Retriable
}

// picture is a snapshot in the making.
type picture struct {
	client *Client
	scope  plan.Scope
	via    int32

	apis     *kmsg.ApiVersionsResponse // of via
	meta     *kmsg.MetadataResponse    // without its topics
	topics   topicIndex
	eligible map[plan.TopicPartition]eligible
	moves    map[plan.TopicPartition]reassign.InFlight
	fenced   []kmsg.DescribeClusterResponseBroker
	accounts []account // of the brokers that are alive, sorted
	defaults reassign.ResourceConfig
	configs  map[string]map[string]string // overrides by topic
	notes    []plan.Finding

	controllers
}

// take asks in the order that keeps the picture true: what is in flight, then
// where the replicas are, then how large.
func (p *picture) take(ctx context.Context) (plan.Cluster, error) {
	var err error
	if p.apis, err = p.client.versions(ctx, p.via); err != nil {
		return plan.Cluster{}, err
	}
	if err := p.readPartitions(ctx); err != nil {
		return plan.Cluster{}, err
	}
	if err := p.readFenced(ctx); err != nil {
		return plan.Cluster{}, err
	}
	p.readQuorum(ctx)
	p.readBrokers(ctx)
	if err := p.readHidden(ctx); err != nil {
		return plan.Cluster{}, err
	}
	p.readConfigs(ctx)
	if err := p.readRights(ctx); err != nil {
		return plan.Cluster{}, err
	}
	if ctx.Err() != nil { // what it cut off looks like brokers that do not answer
		return plan.Cluster{}, context.Cause(ctx)
	}
	return p.cluster()
}

// cluster puts the answers together.
func (p *picture) cluster() (plan.Cluster, error) {
	var b plan.Builder
	p.addBrokers(&b)
	p.addTopics(&b)
	b.Head = plan.Cluster{
		ID:              p.client.id,
		TakenAt:         time.Now().UTC(),
		Mode:            modeOf(p.apis),
		ControllerID:    p.meta.ControllerID,
		Release:         p.release(),
		Releases:        p.possible(),
		MetadataVersion: int(finalized(p.apis, "metadata.version")),
		ELR:             finalized(p.apis, "eligible.leader.replicas.version") >= 1,
		MinISRDefault:   p.minISRDefault(),
		UncleanDefault:  p.uncleanDefault(),
		Throttle:        throttle(p.defaults, reassign.DynamicDefault),
		Quorum:          p.quorum,
		Heard:           p.heard,
		ClockAhead:      p.ahead,
	}
	slices.SortFunc(p.notes, plan.CompareFindings)
	b.Head.Notes = p.notes
	return b.Cluster()
}

// note keeps a partial failure. Topic is empty and broker -1 where it is not
// about one.
func (p *picture) note(level plan.Level, risk, topic string, broker int32, message, remedy string) {
	p.notes = append(p.notes, plan.Finding{
		Level: level, Risk: risk, Topic: topic, Partition: -1, Broker: broker, Message: message, Remedy: remedy,
	})
}

// drained says that a broker is to be read in full.
func (p *picture) drained(broker int32) bool { return slices.Contains(p.scope.Brokers, broker) }
