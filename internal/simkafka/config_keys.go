package simkafka

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// The settings that replication depends on.
const (
	leaderRate       = "leader.replication.throttled.rate"
	followerRate     = "follower.replication.throttled.rate"
	leaderReplicas   = "leader.replication.throttled.replicas"
	followerReplicas = "follower.replication.throttled.replicas"
	cordonedDirs     = "cordoned.log.dirs"
	minISRKey        = "min.insync.replicas"
	uncleanKey       = "unclean.leader.election.enable"
)

// configKey is a setting Kafka knows: one of many, those a drain reads among
// them.
type configKey struct {
	otherwise string // its default
	broker    string // topic settings: the broker setting it is resolved from
	null      bool   // that has no default itself (log.retention.ms)
	list      bool
	valid     func(string) bool // nil: anything
}

var topicKeys = map[string]configKey{
	"cleanup.policy":    {otherwise: "delete", broker: "log.cleanup.policy", list: true},
	"compression.type":  {otherwise: "producer", broker: "compression.type"},
	followerReplicas:    {list: true, valid: replicaList},
	leaderReplicas:      {list: true, valid: replicaList},
	"max.message.bytes": {otherwise: "1048588", broker: "message.max.bytes", valid: atLeast(0)},
	minISRKey:           {otherwise: "1", broker: minISRKey, valid: atLeast(1)},
	"retention.bytes":   {otherwise: "-1", broker: "log.retention.bytes", valid: atLeast(-1)},
	"retention.ms":      {otherwise: "604800000", broker: "log.retention.ms", null: true, valid: atLeast(-1)},
	"segment.bytes":     {otherwise: "1073741824", broker: "log.segment.bytes", valid: atLeast(1)},
	uncleanKey:          {otherwise: "false", broker: uncleanKey, valid: boolean},
}

// brokerKeys are shown for every broker, set or not.
var brokerKeys = map[string]configKey{
	"auto.leader.rebalance.enable":             {otherwise: "true", valid: boolean},
	"broker.heartbeat.interval.ms":             {otherwise: "2000"},
	"broker.session.timeout.ms":                {otherwise: "9000"},
	"compression.type":                         {otherwise: "producer"},
	"controlled.shutdown.enable":               {otherwise: "true"},
	"default.replication.factor":               {otherwise: "1"},
	"log.cleanup.policy":                       {otherwise: "delete", list: true},
	"log.retention.bytes":                      {otherwise: "-1", valid: atLeast(-1)},
	"log.retention.ms":                         {otherwise: "604800000", valid: atLeast(-1)},
	"log.segment.bytes":                        {otherwise: "1073741824", valid: atLeast(1)},
	"message.max.bytes":                        {otherwise: "1048588", valid: atLeast(0)},
	minISRKey:                                  {otherwise: "1", valid: atLeast(1)},
	"num.replica.fetchers":                     {otherwise: "1"},
	"offsets.topic.replication.factor":         {otherwise: "3"},
	"replica.fetch.response.max.bytes":         {otherwise: "10485760"},
	"replica.lag.time.max.ms":                  {otherwise: "30000"},
	"replication.quota.window.num":             {otherwise: "11"},
	"replication.quota.window.size.seconds":    {otherwise: "1"},
	"transaction.state.log.replication.factor": {otherwise: "3"},
	uncleanKey:                                 {otherwise: "false", valid: boolean},
}

// dynamicOnlyKeys are never in server.properties and are shown only where set.
var dynamicOnlyKeys = map[string]configKey{
	leaderRate:   {valid: atLeast(0)},
	followerRate: {valid: atLeast(0)},
	"replica.alter.log.dirs.io.max.bytes.per.second": {valid: atLeast(0)},
}

// brokerKey looks a broker setting up. One that the release does not know is
// accepted all the same, and does nothing (DynamicBrokerConfig.validateConfigs).
func (m *model) brokerKey(name string) configKey {
	if name == cordonedDirs && m.release.AtLeast(4, 3) {
		return configKey{list: true}
	}
	if k, ok := brokerKeys[name]; ok {
		return k
	}
	return dynamicOnlyKeys[name]
}

func atLeast(least int64) func(string) bool {
	return func(v string) bool {
		n, err := strconv.ParseInt(v, 10, 64)
		return err == nil && n >= least
	}
}

func boolean(v string) bool { return v == "true" || v == "false" }

// replicaList is ThrottledReplicaListValidator: "*" alone, or entries
// partition:broker, blank ones allowed.
func replicaList(v string) bool {
	if strings.TrimSpace(v) == "*" {
		return true
	}
	for entry := range strings.SplitSeq(v, ",") {
		partition, broker, ok := strings.Cut(strings.TrimSpace(entry), ":")
		if strings.TrimSpace(entry) != "" && !(ok && digits(partition) && digits(broker)) {
			return false
		}
	}
	return true
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// sorted is the union of some names.
func sorted(sets ...iter.Seq[string]) []string {
	var all []string
	for _, set := range sets {
		all = slices.AppendSeq(all, set)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
