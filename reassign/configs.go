package reassign

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
)

// ErrGone is what the error of a [ResourceConfig] wraps when the topic is not
// there (UNKNOWN_TOPIC_OR_PARTITION).
var ErrGone = errors.New("no such topic")

// The dynamic settings that a move touches.
const (
	LeaderRate   = "leader.replication.throttled.rate"       // broker, bytes a second sent
	FollowerRate = "follower.replication.throttled.rate"     // broker, bytes a second fetched
	LeaderList   = "leader.replication.throttled.replicas"   // topic, partition:broker
	FollowerList = "follower.replication.throttled.replicas" // topic, partition:broker
	MinISR       = "min.insync.replicas"                     // topic
	CordonedDirs = "cordoned.log.dirs"                       // broker (KIP-1066)
)

// Keys lists the settings that a move touches. A broker has some three hundred
// of them, and they are read several times a second.
func Keys() []string {
	return []string{LeaderRate, FollowerRate, LeaderList, FollowerList, MinISR, CordonedDirs}
}

// Kind is what a setting belongs to.
type Kind string

// The resources of the config APIs.
const (
	BrokerResource Kind = "broker" // Name is the ID; empty is the cluster-wide default
	TopicResource  Kind = "topic"
)

// Resource is the owner of settings.
type Resource struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
}

// OfBroker is the resource of one broker.
func OfBroker(id int32) Resource { return Resource{BrokerResource, strconv.Itoa(int(id))} }

// OfTopic is the resource of a topic.
func OfTopic(name string) Resource { return Resource{TopicResource, name} }

// Broker is the ID of a broker resource, or -1: topics and the cluster-wide
// default, which is never touched.
func (r Resource) Broker() int32 {
	if r.Kind != BrokerResource {
		return -1
	}
	id, err := strconv.ParseInt(r.Name, 10, 32)
	if err != nil {
		return -1
	}
	return int32(id)
}

// Compare orders resources: brokers by ID, behind the cluster-wide default, then
// topics by name.
func (r Resource) Compare(other Resource) int {
	c := cmp.Compare(r.Kind, other.Kind)
	if c == 0 && r.Kind == BrokerResource {
		c = cmp.Compare(len(r.Name), len(other.Name)) // "2" before "10"
	}
	return cmp.Or(c, cmp.Compare(r.Name, other.Name))
}

// Layer is where a value comes from (DescribeConfigs, config source).
type Layer string

// The layers, most specific first.
const (
	DynamicTopic   Layer = "dynamicTopic"
	DynamicBroker  Layer = "dynamicBroker"
	DynamicDefault Layer = "dynamicDefault" // cluster-wide default
	Static         Layer = "static"         // server.properties
	Default        Layer = "default"        // Kafka's own
)

// Entry is one setting at one layer.
type Entry struct {
	Key, Value string
	Layer      Layer
	// Hidden is a value that is set and not told: 2.4 takes the settings of a
	// broker that it does not know for secrets, and dynamic rates are such.
	Hidden bool
}

// ResourceConfig is the settings of a resource: for each key every layer that
// has a value, most specific first. Err is set where it could not be read.
type ResourceConfig struct {
	Resource
	Entries []Entry
	Err     error
}

// Hides says that key is set at that layer, and its value is not told.
func (c ResourceConfig) Hides(key string, layer Layer) bool {
	return slices.ContainsFunc(c.Entries, func(e Entry) bool { return e.Key == key && e.Layer == layer && e.Hidden })
}

// At returns the value of key at exactly that layer; of a hidden one it is empty.
func (c ResourceConfig) At(key string, layer Layer) (string, bool) {
	for _, e := range c.Entries {
		if e.Key == key && e.Layer == layer {
			return e.Value, true
		}
	}
	return "", false
}

// inForce returns the most specific value of key.
func (c ResourceConfig) inForce(key string) (Entry, bool) {
	i := slices.IndexFunc(c.Entries, func(e Entry) bool { return e.Key == key })
	if i < 0 {
		return Entry{}, false
	}
	return c.Entries[i], true
}

// Op is what a change does (IncrementalAlterConfigs).
type Op uint8

// The operations. Append and Subtract are for lists.
const (
	Set Op = iota
	Delete
	Append
	Subtract
)

// Change is one change of a dynamic setting.
type Change struct {
	Resource
	Key   string
	Op    Op
	Value string
}

// ChangeError is a change that was refused.
type ChangeError struct {
	Change
	Code    int16
	Kafka   string // Kafka's name of the code
	Message string
}

// Error names the resource, the key and the cause.
func (e ChangeError) Error() string {
	s := string(e.Kind) + " " + e.Resource.Name + " " + e.Key + ": " + e.Kafka
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}
