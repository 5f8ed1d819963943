package reassign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Configs is DescribeConfigs with synonyms.
func (m *model) Configs(ctx context.Context, of []Resource) ([]ResourceConfig, error) {
	if err := m.try(ctx, "configs"); err != nil {
		return nil, err
	}
	var all []ResourceConfig
	for _, r := range of {
		all = append(all, m.config(r))
	}
	return all, nil
}

func (m *model) config(r Resource) ResourceConfig {
	c := ResourceConfig{Resource: r}
	own, layer := m.owner(r), DynamicTopic
	if r.Kind == BrokerResource {
		layer = DynamicBroker
	}
	if own == nil {
		c.Err = fmt.Errorf("%s: %w", r.Name, ErrGone)
		if r.Kind == BrokerResource {
			c.Err = errors.New("unknown broker")
		}
		return c
	}
	for _, k := range slices.Sorted(maps.Keys(own)) {
		e := Entry{Key: k, Value: own[k], Layer: layer}
		if m.secret && (k == LeaderRate || k == FollowerRate) {
			e.Value, e.Hidden = "", true
		}
		c.Entries = append(c.Entries, e)
	}
	for _, k := range slices.Sorted(maps.Keys(m.defaults)) {
		c.Entries = append(c.Entries, Entry{Key: k, Value: m.defaults[k], Layer: DynamicDefault})
	}
	return c
}

func (m *model) owner(r Resource) map[string]string {
	if r.Kind == TopicResource {
		return m.topics[r.Name]
	}
	if b := m.brokers[r.Broker()]; b != nil && b.live {
		return b.configs
	}
	return nil
}

// AlterConfigs is IncrementalAlterConfigs.
func (m *model) AlterConfigs(ctx context.Context, changes []Change) ([]ChangeError, error) {
	if err := m.try(ctx, "alter configs"); err != nil {
		return nil, err
	}
	seen := map[setting]bool{}
	var refused []ChangeError
	for _, c := range changes {
		k := setting{c.Resource, c.Key}
		own := m.owner(c.Resource)
		switch {
		case seen[k]:
			refused = append(refused, ChangeError{Change: c, Code: 42, Kafka: "INVALID_REQUEST"})
			continue
		case own == nil && c.Kind == BrokerResource:
			return nil, fmt.Errorf("broker %s does not answer", c.Name)
		case own == nil:
			refused = append(refused, ChangeError{Change: c, Code: codeUnknownTopic, Kafka: "UNKNOWN_TOPIC_OR_PARTITION"})
			continue
		}
		seen[k] = true
		if e := m.alterConfig(own, c); e != nil {
			refused = append(refused, *e)
		}
	}
	return refused, m.answer("alter configs")
}

func (m *model) alterConfig(own map[string]string, c Change) *ChangeError {
	value := c.Value
	switch c.Op {
	case Delete:
		m.note("delete %s %s %s", c.Kind, c.Name, c.Key)
		delete(own, c.Key)
		return nil
	case Append:
		value = join(union(ParseList(own[c.Key]), ParseList(c.Value)))
	case Subtract:
		value = join(without(ParseList(own[c.Key]), ParseList(c.Value)))
	}
	if list := ParseList(value); len(value) > longest || len(list) > 1 && slices.Contains(list, "*") {
		return &ChangeError{Change: c, Code: 40, Kafka: "INVALID_CONFIG"}
	}
	m.note("set %s %s %s to %q", c.Kind, c.Name, c.Key, value)
	m.longest = max(m.longest, len(value))
	own[c.Key] = value
	return nil
}

// settings is every dynamic setting there is, for comparing before and after.
func (m *model) settings() map[string]string {
	all := map[string]string{}
	for b, broker := range m.brokers {
		for k, v := range broker.configs {
			all[fmt.Sprint("broker ", b, " ", k)] = v
		}
	}
	for t, configs := range m.topics {
		for k, v := range configs {
			all["topic "+t+" "+k] = v
		}
	}
	for k, v := range m.defaults {
		all["default "+k] = v
	}
	return all
}
