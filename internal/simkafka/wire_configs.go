package simkafka

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// describeConfigs tells settings as the asked broker resolves them.
func (q *question) describeConfigs(req *kmsg.DescribeConfigsRequest, resp *kmsg.DescribeConfigsResponse) {
	for _, asked := range req.Resources {
		out := kmsg.NewDescribeConfigsResponseResource()
		out.ResourceType, out.ResourceName = asked.ResourceType, asked.ResourceName
		entries, no := q.entries(asked)
		out.ErrorCode, out.ErrorMessage = no.parts()
		for _, e := range entries {
			if asked.ConfigNames == nil || slices.Contains(asked.ConfigNames, e.name) {
				out.Configs = append(out.Configs, e.wire(req.IncludeSynonyms))
			}
		}
		resp.Resources = append(resp.Resources, out)
	}
}

func (q *question) entries(asked kmsg.DescribeConfigsRequestResource) ([]entry, *refusal) {
	if no := q.spoiltResource(asked.ResourceName); no != nil {
		return nil, no
	}
	switch asked.ResourceType {
	case kmsg.ConfigResourceTypeTopic:
		t, no := q.visible(asked.ResourceName)
		if no != nil {
			return nil, no
		}
		return q.topicEntries(t), nil
	case kmsg.ConfigResourceTypeBroker:
		if asked.ResourceName == "" {
			return q.defaultEntries(), nil
		}
		if no := q.thisBroker(asked.ResourceName); no != nil {
			return nil, no
		}
		return q.brokerEntries(), nil
	}
	return nil, refuse(kerr.InvalidRequest, "Unsupported resource type: %v", asked.ResourceType)
}

// thisBroker refuses settings of another broker
// (ConfigAdminManager.validateResourceNameIsCurrentNodeId).
func (q *question) thisBroker(name string) *refusal {
	id, err := strconv.ParseInt(name, 10, 32)
	if err != nil {
		return refuse(kerr.InvalidRequest, "Node id must be an integer, but it is: %s", name)
	}
	if int32(id) != q.at.id {
		return refuse(kerr.InvalidRequest, "Unexpected broker id, expected %d, but received %s", q.at.id, name)
	}
	return nil
}

// entry is one setting with all layers that set it, the one in force first.
type entry struct {
	name   string
	list   bool
	secret bool // its values are not told
	layers []layer
}

type layer struct {
	name, value string // no name: in force, and not told as a layer
	source      kmsg.ConfigSource
}

func (e *entry) add(settings map[string]string, name string, source kmsg.ConfigSource) {
	if v, ok := settings[name]; ok && name != "" {
		e.layers = append(e.layers, layer{name, v, source})
	}
}

// addBrokerLayers adds what a broker takes a setting from, down to its default.
func (q *question) addBrokerLayers(e *entry, name string) {
	e.add(q.at.configs, name, kmsg.ConfigSourceDynamicBrokerConfig)
	e.add(q.defaults, name, kmsg.ConfigSourceDynamicDefaultBrokerConfig)
	e.add(q.static, name, kmsg.ConfigSourceStaticBrokerConfig)
}

func (q *question) topicEntries(t *topic) []entry {
	var all []entry
	for _, name := range sorted(maps.Keys(topicKeys)) {
		key := topicKeys[name]
		e := entry{name: name, list: key.list}
		e.add(t.configs, name, kmsg.ConfigSourceDynamicTopicConfig)
		q.addBrokerLayers(&e, key.broker)
		told := key.broker // the default told is the broker setting's, if it has one
		if key.null {
			told = ""
		}
		e.layers = append(e.layers, layer{told, key.otherwise, kmsg.ConfigSourceDefaultConfig})
		all = append(all, e)
	}
	return all
}

// brokerEntries are all settings known, and whatever else is set.
func (q *question) brokerEntries() []entry {
	var all []entry
	own := q.ownSettings()
	hidden := map[string]configKey{}
	if q.release.hidesRates() {
		hidden = map[string]configKey{leaderRate: {}, followerRate: {}}
	}
	for _, name := range sorted(maps.Keys(hidden), maps.Keys(brokerKeys), maps.Keys(own), maps.Keys(q.static), maps.Keys(q.defaults), maps.Keys(q.at.configs)) {
		e := entry{name: name, list: q.brokerKey(name).list}
		_, e.secret = hidden[name]
		q.addBrokerLayers(&e, name)
		e.add(own, name, kmsg.ConfigSourceStaticBrokerConfig)
		if key, ok := brokerKeys[name]; ok || e.secret {
			e.layers = append(e.layers, layer{name, key.otherwise, kmsg.ConfigSourceDefaultConfig})
		}
		all = append(all, e)
	}
	return all
}

// ownSettings are those of server.properties that differ from broker to broker.
func (q *question) ownSettings() map[string]string {
	paths := make([]string, len(q.at.dirs))
	for i, d := range q.at.dirs {
		paths[i] = d.path
	}
	own := map[string]string{"log.dirs": strings.Join(paths, ",")}
	if q.at.rack != "" {
		own["broker.rack"] = q.at.rack
	}
	id := strconv.Itoa(int(q.at.id))
	if q.zk {
		own["broker.id"] = id
		return own
	}
	own["node.id"], own["process.roles"] = id, "broker"
	if slices.ContainsFunc(q.quorum.Voters, func(v Voter) bool { return v.ID == q.at.id }) {
		own["process.roles"] = "broker,controller"
	}
	return own
}

func (q *question) defaultEntries() []entry {
	var all []entry
	for _, name := range sorted(maps.Keys(q.defaults)) {
		e := entry{name: name, list: q.brokerKey(name).list}
		e.add(q.defaults, name, kmsg.ConfigSourceDynamicDefaultBrokerConfig)
		all = append(all, e)
	}
	return all
}

func (e entry) wire(synonyms bool) kmsg.DescribeConfigsResponseResourceConfig {
	out := kmsg.NewDescribeConfigsResponseResourceConfig()
	out.Name, out.Value, out.Source = e.name, &e.layers[0].value, e.layers[0].source
	out.IsDefault = out.Source == kmsg.ConfigSourceDefaultConfig
	out.ReadOnly = e.name == "log.dirs" || e.name == "node.id" || e.name == "broker.id" || e.name == "process.roles" || e.name == "broker.rack"
	out.ConfigType = kmsg.ConfigTypeString
	if e.list {
		out.ConfigType = kmsg.ConfigTypeList
	}
	if out.IsSensitive = e.secret; e.secret {
		out.Value = nil
	}
	for i := range e.layers {
		if !synonyms || e.layers[i].name == "" {
			continue
		}
		s := kmsg.NewDescribeConfigsResponseResourceConfigConfigSynonym()
		s.Name, s.Value, s.Source = e.layers[i].name, &e.layers[i].value, e.layers[i].source
		if e.secret {
			s.Value = nil
		}
		out.ConfigSynonyms = append(out.ConfigSynonyms, s)
	}
	return out
}

func refuseDescribeConfigs(req *kmsg.DescribeConfigsRequest, resp *kmsg.DescribeConfigsResponse, code int16) {
	for _, asked := range req.Resources {
		out := kmsg.NewDescribeConfigsResponseResource()
		out.ResourceType, out.ResourceName, out.ErrorCode = asked.ResourceType, asked.ResourceName, code
		resp.Resources = append(resp.Resources, out)
	}
}
