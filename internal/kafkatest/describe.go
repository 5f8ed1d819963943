package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Describe reads the whole cluster through the judge's listeners. Partitions are
// as the live broker with the lowest id sees them; the settings of each broker
// come from itself.
func (c *Cluster) Describe() State {
	c.t.Helper()
	ctx, cancel := c.context()
	defer cancel()
	s, err := c.state(ctx)
	if err != nil {
		c.t.Fatalf("describe cluster: %v", err)
	}
	return s
}

// WaitState waits until the cluster is as want says, which returns what is
// amiss, and gives back that state.
func (c *Cluster) WaitState(ctx context.Context, what string, want func(State) error) (State, error) {
	var s State
	err := poll(ctx, what, func() (err error) {
		if s, err = c.state(ctx); err != nil {
			return err
		}
		return want(s)
	})
	return s, err
}

// WaitInSync waits until every partition has a leader and all its replicas in
// the ISR.
func (c *Cluster) WaitInSync(ctx context.Context) error {
	_, err := c.WaitState(ctx, "all partitions in sync", func(s State) error {
		if bad := slices.Concat(s.Leaderless(), s.UnderReplicated()); len(bad) > 0 {
			return fmt.Errorf("not in sync: %v", bad)
		}
		return nil
	})
	return err
}

func (c *Cluster) state(ctx context.Context) (State, error) {
	answering := c.answering()
	if len(answering) == 0 {
		return State{}, errors.New("no broker runs")
	}
	s := State{Configs: map[string]map[string]string{}}
	for _, read := range []func(context.Context, int32, *State) error{
		c.readTopics, c.readELR, c.readReassignments, c.readSharedConfigs,
	} {
		if err := read(ctx, answering[0], &s); err != nil {
			return State{}, err
		}
	}
	for _, id := range c.Brokers() {
		if !slices.Contains(answering, id) {
			s.Silent = append(s.Silent, id)
			continue
		}
		layer := configLayer{kmsg.ConfigResourceTypeBroker, fmt.Sprint(id), kmsg.ConfigSourceDynamicBrokerConfig, brokerLayer(id)}
		if err := c.readConfigs(ctx, id, &s, []configLayer{layer}); err != nil {
			return State{}, err
		}
	}
	slices.Sort(s.Silent)
	return s, nil
}

// answering lists the brokers that run and are not frozen, sorted.
func (c *Cluster) answering() []int32 {
	return sorted(c.ids(func(n *node) bool { return n.broker && n.answers() }))
}

func (c *Cluster) readTopics(ctx context.Context, from int32, s *State) error {
	req := kmsg.NewPtrMetadataRequest() // nil topics: all
	resp, err := ask[*kmsg.MetadataResponse](ctx, c, from, req)
	if err != nil {
		return err
	}
	for _, b := range resp.Brokers {
		s.Brokers = append(s.Brokers, b.NodeID)
	}
	slices.Sort(s.Brokers)
	s.Topics = make(map[string]Topic, len(resp.Topics))
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return fmt.Errorf("topic %s: %w", *t.Topic, err)
		}
		topic := Topic{ID: t.TopicID, Partitions: make(map[int32]Partition, len(t.Partitions))}
		for _, p := range t.Partitions {
			topic.Partitions[p.Partition] = Partition{
				Leader: p.Leader, Replicas: p.Replicas, ISR: sorted(p.ISR), Offline: sorted(p.OfflineReplicas),
			}
		}
		s.Topics[*t.Topic] = topic
	}
	return nil
}

// readELR fills in the eligible leader replicas, which only
// DescribeTopicPartitions shows (KIP-966).
func (c *Cluster) readELR(ctx context.Context, from int32, s *State) error {
	if c.spec.ZooKeeper || c.spec.before(4, 0) || len(s.Topics) == 0 {
		return nil
	}
	req := kmsg.NewPtrDescribeTopicPartitionsRequest()
	req.ResponsePartitionLimit = 2000
	for _, name := range slices.Sorted(maps.Keys(s.Topics)) {
		t := kmsg.NewDescribeTopicPartitionsRequestTopic()
		t.Topic = name
		req.Topics = append(req.Topics, t)
	}
	for {
		resp, err := ask[*kmsg.DescribeTopicPartitionsResponse](ctx, c, from, req)
		if err != nil {
			return err
		}
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				s.update(*t.Topic, p.Partition, func(known *Partition) { known.ELR = sorted(p.EligibleLeaderReplicas) })
			}
		}
		if resp.NextCursor == nil {
			return nil
		}
		req.Cursor = &kmsg.DescribeTopicPartitionsRequestCursor{
			Topic: resp.NextCursor.Topic, Partition: resp.NextCursor.Partition,
		}
	}
}

// readReassignments asks the controller for all moves in flight.
func (c *Cluster) readReassignments(ctx context.Context, _ int32, s *State) error {
	req := kmsg.NewPtrListPartitionReassignmentsRequest() // nil topics: all
	req.TimeoutMillis = 10_000
	resp, err := req.RequestWith(ctx, c.judge)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err != nil {
		return fmt.Errorf("list reassignments: %w", err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			s.update(t.Topic, p.Partition, func(known *Partition) {
				known.Adding, known.Removing = sorted(p.AddingReplicas), sorted(p.RemovingReplicas)
			})
		}
	}
	return nil
}

// update changes a partition that is known; one that came after the Metadata is
// left for the next look.
func (s *State) update(topic string, partition int32, change func(*Partition)) {
	if p, ok := s.Topics[topic].Partitions[partition]; ok {
		change(&p)
		s.Topics[topic].Partitions[partition] = p
	}
}

// configLayer is one resource whose settings of one source are wanted.
type configLayer struct {
	kind   kmsg.ConfigResourceType
	name   string
	source kmsg.ConfigSource
	label  string // its key in State.Configs
}

// readSharedConfigs reads the settings that any broker knows: those of topics
// and the cluster's default.
func (c *Cluster) readSharedConfigs(ctx context.Context, from int32, s *State) error {
	layers := []configLayer{{kmsg.ConfigResourceTypeBroker, "", kmsg.ConfigSourceDynamicDefaultBrokerConfig, defaultLayer}}
	for _, name := range slices.Sorted(maps.Keys(s.Topics)) {
		layers = append(layers, configLayer{kmsg.ConfigResourceTypeTopic, name, kmsg.ConfigSourceDynamicTopicConfig, topicLayer(name)})
	}
	return c.readConfigs(ctx, from, s, layers)
}

func (c *Cluster) readConfigs(ctx context.Context, from int32, s *State, layers []configLayer) error {
	req := kmsg.NewPtrDescribeConfigsRequest()
	for _, l := range layers {
		r := kmsg.NewDescribeConfigsRequestResource()
		r.ResourceType, r.ResourceName = l.kind, l.name
		req.Resources = append(req.Resources, r)
	}
	resp, err := ask[*kmsg.DescribeConfigsResponse](ctx, c, from, req)
	if err != nil {
		return err
	}
	for _, r := range resp.Resources {
		i := slices.IndexFunc(layers, func(l configLayer) bool { return l.kind == r.ResourceType && l.name == r.ResourceName })
		if i < 0 {
			return fmt.Errorf("settings of %v %q were not asked for", r.ResourceType, r.ResourceName)
		}
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			return fmt.Errorf("settings of %s: %w", layers[i].label, err)
		}
		s.keepConfigs(layers[i], r.Configs)
	}
	return nil
}

// keepConfigs keeps the settings that stand at the wanted layer. A secret one
// shows no value.
func (s *State) keepConfigs(l configLayer, configs []kmsg.DescribeConfigsResponseResourceConfig) {
	for _, entry := range configs {
		if entry.Source != l.source {
			continue
		}
		if s.Configs[l.label] == nil {
			s.Configs[l.label] = map[string]string{}
		}
		value := "(secret)"
		if entry.Value != nil {
			value = *entry.Value
		}
		s.Configs[l.label][entry.Name] = value
	}
}

func sorted(ids []int32) []int32 { return slices.Sorted(slices.Values(ids)) }
