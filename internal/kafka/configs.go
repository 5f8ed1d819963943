package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
	"drain/reassign"
)

// topicsAtOnce bounds a config request: a topic has some forty settings.
const topicsAtOnce = 200

// anyBroker is where topics and the cluster-wide default may be asked.
const anyBroker = plan.AnyBroker

// Configs reads what [reassign.Keys] lists of each resource, sorted by kind and
// name: that of a broker from that broker, which alone knows its static ones. A
// resource that could not be read carries its error; err is for the end of ctx.
func (c *Client) Configs(ctx context.Context, of []reassign.Resource) ([]reassign.ResourceConfig, error) {
	requests := split(sortedResources(of), func(r reassign.Resource) reassign.Resource { return r })
	answers := make([][]reassign.ResourceConfig, len(requests))
	each(make([]int32, len(requests)), func(i int, _ int32) {
		answers[i] = c.describe(ctx, requests[i], reassign.Keys())
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("describe configs: %w", context.Cause(ctx))
	}
	configs := slices.Concat(answers...)
	slices.SortStableFunc(configs, func(a, b reassign.ResourceConfig) int { return a.Resource.Compare(b.Resource) })
	return configs, nil
}

// describe asks one broker for some resources. Keys nil are all. The answer
// has one entry for each resource, whatever happened.
func (c *Client) describe(ctx context.Context, r routed[reassign.Resource], keys []string) []reassign.ResourceConfig {
	req := kmsg.NewPtrDescribeConfigsRequest()
	req.IncludeSynonyms = true
	for _, resource := range r.items {
		ask := kmsg.NewDescribeConfigsRequestResource()
		ask.ResourceType, ask.ResourceName, ask.ConfigNames = typeOf(resource.Kind), resource.Name, keys
		req.Resources = append(req.Resources, ask)
	}
	answer, err := c.askBroker(ctx, r.broker, req)
	if err != nil {
		return failed(r.items, fmt.Errorf("describe configs: %w", err))
	}
	got := map[reassign.Resource]reassign.ResourceConfig{}
	for _, res := range answer.(*kmsg.DescribeConfigsResponse).Resources {
		resource := resourceOf(res.ResourceType, res.ResourceName)
		if err := fault(res.ErrorCode, res.ErrorMessage); err != nil {
			if res.ErrorCode == kerr.UnknownTopicOrPartition.Code {
				err = fmt.Errorf("%w: %w", reassign.ErrGone, err)
			}
			err = fmt.Errorf("describe configs of %s %s: %w", resource.Kind, resource.Name, err)
			got[resource] = reassign.ResourceConfig{Resource: resource, Err: err}
			continue
		}
		got[resource] = reassign.ResourceConfig{Resource: resource, Entries: entriesOf(res.Configs)}
	}
	configs := make([]reassign.ResourceConfig, len(r.items))
	for i, resource := range r.items {
		config, ok := got[resource]
		if !ok {
			config = reassign.ResourceConfig{Resource: resource, Err: errors.New("describe configs: absent from the answer")}
		}
		configs[i] = config
	}
	return configs
}

func failed(resources []reassign.Resource, err error) []reassign.ResourceConfig {
	configs := make([]reassign.ResourceConfig, len(resources))
	for i, resource := range resources {
		configs[i] = reassign.ResourceConfig{Resource: resource, Err: err}
	}
	return configs
}

// entriesOf lists every layer of every key that has a value, keys sorted, the
// most specific layer first, as Kafka orders its synonyms. What is taken for a
// secret has a value that is not told.
func entriesOf(configs []kmsg.DescribeConfigsResponseResourceConfig) []reassign.Entry {
	slices.SortFunc(configs, func(a, b kmsg.DescribeConfigsResponseResourceConfig) int { return cmp.Compare(a.Name, b.Name) })
	var entries []reassign.Entry
	add := func(config kmsg.DescribeConfigsResponseResourceConfig, value *string, source kmsg.ConfigSource) {
		layer, ok := layers[source]
		switch {
		case !ok:
		case value != nil:
			entries = append(entries, reassign.Entry{Key: config.Name, Value: *value, Layer: layer})
		case config.IsSensitive && layer != reassign.Default:
			entries = append(entries, reassign.Entry{Key: config.Name, Layer: layer, Hidden: true})
		}
	}
	for _, config := range configs {
		for _, synonym := range config.ConfigSynonyms {
			add(config, synonym.Value, synonym.Source)
		}
		if len(config.ConfigSynonyms) == 0 {
			add(config, config.Value, config.Source)
		}
	}
	return entries
}

var layers = map[kmsg.ConfigSource]reassign.Layer{
	kmsg.ConfigSourceDynamicTopicConfig:         reassign.DynamicTopic,
	kmsg.ConfigSourceDynamicBrokerConfig:        reassign.DynamicBroker,
	kmsg.ConfigSourceDynamicDefaultBrokerConfig: reassign.DynamicDefault,
	kmsg.ConfigSourceStaticBrokerConfig:         reassign.Static,
	kmsg.ConfigSourceDefaultConfig:              reassign.Default,
}

// routed is part of a request: what goes to one broker, anyBroker included.
type routed[T any] struct {
	broker int32
	items  []T
}

// split says which broker each item goes to, in order: a named broker takes its
// own (ConfigAdminManager.validateResourceNameIsCurrentNodeId), any broker the
// rest, in parts. Items of one resource stay together.
func split[T any](items []T, resource func(T) reassign.Resource) []routed[T] {
	var parts []routed[T]
	var last reassign.Resource
	topics := 0
	for _, item := range items {
		r := resource(item)
		broker := r.Broker()
		if broker < 0 {
			broker = anyBroker
		}
		if r != last {
			topics++
		}
		full := r != last && topics > topicsAtOnce
		if n := len(parts); n == 0 || parts[n-1].broker != broker || full {
			parts = append(parts, routed[T]{broker: broker})
			topics = 1
		}
		n := len(parts) - 1
		parts[n].items = append(parts[n].items, item)
		last = r
	}
	return parts
}

func sortedResources(of []reassign.Resource) []reassign.Resource {
	sorted := slices.SortedFunc(slices.Values(of), reassign.Resource.Compare)
	return slices.Compact(sorted) // the same resource twice is refused
}

func typeOf(kind reassign.Kind) kmsg.ConfigResourceType {
	if kind == reassign.TopicResource {
		return kmsg.ConfigResourceTypeTopic
	}
	return kmsg.ConfigResourceTypeBroker
}

func resourceOf(t kmsg.ConfigResourceType, name string) reassign.Resource {
	if t == kmsg.ConfigResourceTypeTopic {
		return reassign.OfTopic(name)
	}
	return reassign.Resource{Kind: reassign.BrokerResource, Name: name}
}
