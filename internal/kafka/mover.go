package kafka

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
	"drain/reassign"
)

// Alter submits target lists in one request; a nil list cancels. No targets ask
// nothing. The replication factor can not be changed from 4.1 on (KIP-860);
// older brokers do not know that wish. A cancel of what has ended meanwhile
// (NO_REASSIGNMENT_IN_PROGRESS) is no refusal. An err means that the outcome is
// unknown; the same request may be made again.
func (c *Client) Alter(ctx context.Context, targets []reassign.Target) (refused []reassign.PartitionError, err error) {
	if len(targets) == 0 {
		return nil, nil
	}
	answer, err := c.askController(ctx, anyBroker, c.alterRequest(targets))
	if err != nil {
		return nil, fmt.Errorf("alter partition reassignments: %w", err)
	}
	resp := answer.(*kmsg.AlterPartitionAssignmentsResponse)
	if err := fault(resp.ErrorCode, resp.ErrorMessage); err != nil {
		return nil, fmt.Errorf("alter partition reassignments: %w", err)
	}
	cancelled := map[plan.TopicPartition]bool{}
	for _, t := range targets {
		cancelled[t.TopicPartition] = t.Replicas == nil
	}
	for _, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			tp := plan.TopicPartition{Topic: topic.Topic, Partition: p.Partition}
			ended := cancelled[tp] && p.ErrorCode == kerr.NoReassignmentInProgress.Code
			if p.ErrorCode != 0 && !ended {
				refused = append(refused, refusal(tp, p.ErrorCode, p.ErrorMessage))
			}
		}
	}
	return sortRefusals(refused), nil
}

func (c *Client) alterRequest(targets []reassign.Target) *kmsg.AlterPartitionAssignmentsRequest {
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.TimeoutMillis = c.millis()
	req.AllowReplicationFactorChange = false
	at := map[string]int{}
	for _, t := range targets {
		i, ok := at[t.Topic]
		if !ok {
			i = len(req.Topics)
			at[t.Topic] = i
			topic := kmsg.NewAlterPartitionAssignmentsRequestTopic()
			topic.Topic = t.Topic
			req.Topics = append(req.Topics, topic)
		}
		p := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
		p.Partition, p.Replicas = t.Partition, t.Replicas
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, p)
	}
	return req
}

// InFlight lists every reassignment of the cluster, sorted. It needs no rights
// on topics, so it shows those that Metadata hides.
func (c *Client) InFlight(ctx context.Context) ([]reassign.InFlight, error) {
	return c.inFlight(ctx, anyBroker)
}

func (c *Client) inFlight(ctx context.Context, via int32) ([]reassign.InFlight, error) {
	req := kmsg.NewPtrListPartitionReassignmentsRequest()
	req.TimeoutMillis = c.millis()
	req.Topics = nil // all; an empty list would ask for none
	answer, err := c.askController(ctx, via, req)
	if err != nil {
		return nil, fmt.Errorf("list partition reassignments: %w", err)
	}
	resp := answer.(*kmsg.ListPartitionReassignmentsResponse)
	if err := fault(resp.ErrorCode, resp.ErrorMessage); err != nil {
		return nil, fmt.Errorf("list partition reassignments: %w", err)
	}
	var list []reassign.InFlight
	for _, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			list = append(list, reassign.InFlight{
				TopicPartition: plan.TopicPartition{Topic: topic.Topic, Partition: p.Partition},
				Replicas:       p.Replicas, Adding: p.AddingReplicas, Removing: p.RemovingReplicas,
			})
		}
	}
	slices.SortFunc(list, func(a, b reassign.InFlight) int { return a.TopicPartition.Compare(b.TopicPartition) })
	c.remember(list)
	return list, nil
}

// Elect runs a preferred leader election for the partitions named. With none it
// does nothing: Kafka would take every partition of the cluster.
// ELECTION_NOT_NEEDED is no failure.
func (c *Client) Elect(ctx context.Context, of []plan.TopicPartition) (failed []reassign.PartitionError, err error) {
	if len(of) == 0 {
		return nil, nil
	}
	const preferred = 0
	req := kmsg.NewPtrElectLeadersRequest()
	req.ElectionType = preferred
	req.TimeoutMillis = c.millis()
	names, numbers := byTopic(of)
	for _, n := range names {
		topic := kmsg.NewElectLeadersRequestTopic()
		topic.Topic, topic.Partitions = n, numbers[n]
		req.Topics = append(req.Topics, topic)
	}
	answer, err := c.askController(ctx, anyBroker, req)
	if err != nil {
		return nil, fmt.Errorf("elect preferred leaders: %w", err)
	}
	resp := answer.(*kmsg.ElectLeadersResponse)
	if err := fault(resp.ErrorCode, nil); err != nil {
		return nil, fmt.Errorf("elect preferred leaders: %w", err)
	}
	for _, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			if p.ErrorCode != 0 && p.ErrorCode != kerr.ElectionNotNeeded.Code {
				tp := plan.TopicPartition{Topic: topic.Topic, Partition: p.Partition}
				failed = append(failed, refusal(tp, p.ErrorCode, p.ErrorMessage))
			}
		}
	}
	return sortRefusals(failed), nil
}

// millis is how long the controller may take. The client waits for it on top
// of its own timeout.
func (c *Client) millis() int32 { return int32(c.timeout.Milliseconds() / 2) }

func refusal(tp plan.TopicPartition, code int16, message *string) reassign.PartitionError {
	return reassign.PartitionError{TopicPartition: tp, Code: code, Name: name(code), Message: words(message)}
}

func sortRefusals(list []reassign.PartitionError) []reassign.PartitionError {
	slices.SortStableFunc(list, func(a, b reassign.PartitionError) int { return a.TopicPartition.Compare(b.TopicPartition) })
	return list
}
