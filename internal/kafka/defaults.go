package kafka

import (
	"context"
	"errors"
	"strconv"

	"drain/plan"
	"drain/reassign"
)

const unclean = "unclean.leader.election.enable"

// fallbackKeys are the settings that a topic takes from the brokers if it has
// none of its own.
var fallbackKeys = []string{reassign.MinISR, unclean}

// rateKeys are the throttles that an operator may have set.
var rateKeys = []string{reassign.LeaderRate, reassign.FollowerRate}

// readConfigs reads the overrides of all topics, and the cluster-wide defaults.
func (p *picture) readConfigs(ctx context.Context) {
	p.configs = map[string]map[string]string{}
	keys := fallbackKeys
	if p.scope.Space {
		keys = nil
	}
	var topics []reassign.Resource
	for name := range p.topics {
		topics = append(topics, reassign.OfTopic(name))
	}
	for _, part := range split(sortedResources(topics), func(r reassign.Resource) reassign.Resource { return r }) {
		part.broker = p.via
		for _, config := range p.client.describe(ctx, part, keys) {
			p.keepOverrides(config)
		}
	}
	all := reassign.Resource{Kind: reassign.BrokerResource}
	p.defaults = p.client.describe(ctx, routed[reassign.Resource]{p.via, []reassign.Resource{all}}, nil)[0]
	if p.defaults.Err != nil {
		p.note(plan.Block, "configs-unread", "", -1, "the cluster-wide defaults can not be read: "+p.defaults.Err.Error(),
			"grant DESCRIBE_CONFIGS on the cluster to this login")
	}
}

func (p *picture) keepOverrides(config reassign.ResourceConfig) {
	switch {
	case config.Err == nil:
	case errors.Is(config.Err, errUnknownTopic):
		return // deleted meanwhile
	default:
		p.note(plan.Block, "topic-unread", config.Name, -1, "its settings can not be read, so its min.insync.replicas is unknown: "+config.Err.Error(),
			"grant DESCRIBE_CONFIGS on the topic to this login")
		return
	}
	for _, e := range config.Entries {
		if e.Layer != reassign.DynamicTopic {
			continue
		}
		if p.configs[config.Name] == nil {
			p.configs[config.Name] = map[string]string{}
		}
		p.configs[config.Name][e.Key] = e.Value
	}
}

// minISRDefault is the min.insync.replicas of topics without their own: the
// cluster-wide default, else what the brokers say; the largest where they
// differ, since the leader's broker decides (Partition.effectiveMinIsr).
func (p *picture) minISRDefault() int {
	least := number(p.defaults, reassign.MinISR)
	for _, a := range p.accounts {
		least = max(least, number(a.settings, reassign.MinISR))
	}
	return max(1, least)
}

// number is the effective value of a key, 0 if there is none.
func number(config reassign.ResourceConfig, key string) int {
	value, _ := effective(config, key)
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0
	}
	return n
}

// effective is the value of the most specific layer.
func effective(config reassign.ResourceConfig, key string) (string, reassign.Layer) {
	for _, e := range config.Entries {
		if e.Key == key {
			return e.Value, e.Layer
		}
	}
	return "", ""
}

// uncleanDefault is the unclean.leader.election.enable of topics without their
// own. In KRaft the controller's node decides, whose static settings no broker
// knows: only the cluster-wide default is certain, and a value on a broker is a
// sign that the controller may have one too. In ZooKeeper mode the controller
// is a broker and tells.
func (p *picture) uncleanDefault() plan.Tristate {
	if value, ok := p.defaults.At(unclean, reassign.DynamicDefault); ok {
		return tristate(value)
	}
	if p.client.mode == plan.ZooKeeper {
		return p.uncleanOf(p.meta.ControllerID)
	}
	for _, a := range p.accounts {
		if _, layer := effective(a.settings, unclean); layer == reassign.Static || layer == reassign.DynamicBroker {
			return plan.Maybe
		}
	}
	if p.defaults.Err != nil {
		return plan.Maybe
	}
	return plan.Off
}

func (p *picture) uncleanOf(controller int32) plan.Tristate {
	for _, a := range p.accounts {
		if a.broker == controller && a.settings.Err == nil {
			value, _ := effective(a.settings, unclean)
			return tristate(value)
		}
	}
	return plan.Maybe
}

func tristate(value string) plan.Tristate {
	switch value {
	case "true":
		return plan.On
	case "false", "":
		return plan.Off
	}
	return plan.Maybe
}
