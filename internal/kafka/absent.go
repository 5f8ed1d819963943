package kafka

import (
	"context"
	"slices"

	"drain/plan"
	"drain/reassign"
)

// withoutAbsent rewrites changes of lists that are not there yet: brokers before
// 2.6 break on them with a null pointer (KAFKA-9644). It reads first, which in
// ZooKeeper mode the broker would do no better: there it reads, alters and
// writes in three steps.
func (c *Client) withoutAbsent(ctx context.Context, changes []reassign.Change) ([]reassign.Change, error) {
	ofList := func(ch reassign.Change) bool { return ch.Op == reassign.Append || ch.Op == reassign.Subtract }
	if c.mode == plan.KRaft || !slices.ContainsFunc(changes, ofList) {
		return changes, nil
	}
	var of []reassign.Resource
	for _, change := range changes {
		if ofList(change) {
			of = append(of, change.Resource)
		}
	}
	configs, err := c.Configs(ctx, of)
	if err != nil {
		return nil, err
	}
	present := map[reassign.Resource]reassign.ResourceConfig{}
	for _, config := range configs {
		present[config.Resource] = config
	}
	var out []reassign.Change
	for _, change := range changes {
		config, read := present[change.Resource]
		if _, there := config.At(change.Key, ownLayer(change.Resource)); there || !read || config.Err != nil || !ofList(change) {
			out = append(out, change)
		} else if change.Op == reassign.Append {
			change.Op = reassign.Set
			out = append(out, change)
		}
	}
	return out, nil
}

// ownLayer is the layer that a change of a resource goes to.
func ownLayer(r reassign.Resource) reassign.Layer {
	switch {
	case r.Kind == reassign.TopicResource:
		return reassign.DynamicTopic
	case r.Name == "":
		return reassign.DynamicDefault
	}
	return reassign.DynamicBroker
}
