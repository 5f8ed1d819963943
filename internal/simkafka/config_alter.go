package simkafka

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// longestValue is what a string of the protocol, and of a metadata record, holds.
const longestValue = 32767

// configOp is one change to one setting. Value is nil for a delete.
type configOp struct {
	name  string
	op    kmsg.IncrementalAlterConfigOp
	value *string
}

// resource is what settings hang on: a topic, a broker, or the cluster default
// (both nil).
type resource struct {
	topic  *topic
	broker *broker
}

func (m *model) settings(r resource) map[string]string {
	switch {
	case r.topic != nil:
		return r.topic.configs
	case r.broker != nil:
		return r.broker.configs
	}
	return m.defaults
}

func (m *model) configKey(r resource, name string) (configKey, *refusal) {
	if r.topic == nil {
		return m.brokerKey(name), nil
	}
	k, ok := topicKeys[name]
	if !ok {
		return k, refuse(kerr.InvalidConfig, "Unknown topic config name: %s", name)
	}
	return k, nil
}

// alterConfigs changes the settings of one resource, all or none of them
// (ConfigurationControlManager.incrementalAlterConfig).
func (m *model) alterConfigs(r resource, ops []configOp, validateOnly bool) *refusal {
	if no := wellFormedOps(ops); no != nil {
		return no
	}
	next := maps.Clone(m.settings(r))
	if next == nil {
		next = map[string]string{}
	}
	for _, op := range ops {
		if no := m.alterConfig(r, next, op); no != nil {
			return no
		}
	}
	if !validateOnly {
		m.setConfigs(r, next, ops)
	}
	return nil
}

// wellFormedOps is ConfigAdminManager.preprocess.
func wellFormedOps(ops []configOp) *refusal {
	seen := map[string]bool{}
	for _, op := range ops {
		if seen[op.name] {
			return refuse(kerr.InvalidRequest, "Error due to duplicate config keys")
		}
		if op.value == nil && op.op != kmsg.IncrementalAlterConfigOpDelete {
			return refuse(kerr.InvalidRequest, "Null value not supported for : %s", op.name)
		}
		seen[op.name] = true
	}
	return nil
}

func (m *model) alterConfig(r resource, settings map[string]string, op configOp) *refusal {
	key, no := m.configKey(r, op.name)
	if no != nil {
		return no
	}
	if op.op == kmsg.IncrementalAlterConfigOpDelete {
		delete(settings, op.name)
		return nil
	}
	value := *op.value
	if op.op == kmsg.IncrementalAlterConfigOpAppend || op.op == kmsg.IncrementalAlterConfigOpSubtract {
		if !key.list {
			return refuse(kerr.InvalidConfig, "Can't %v to key %s because its type is not LIST.", op.op, op.name)
		}
		value = edited(settings, op, key.otherwise)
	}
	if no := m.validValue(r, key, op.name, value); no != nil {
		return no
	}
	settings[op.name] = value
	return nil
}

// edited is the list after an APPEND or SUBTRACT. Taking the last entry away
// leaves the empty string, not an absent setting.
func edited(settings map[string]string, op configOp, otherwise string) string {
	old, ok := settings[op.name]
	if !ok {
		old = otherwise
	}
	var entries []string
	if old != "" {
		entries = strings.Split(old, ",")
	}
	for entry := range strings.SplitSeq(*op.value, ",") {
		at := slices.Index(entries, entry)
		switch {
		case op.op == kmsg.IncrementalAlterConfigOpAppend && at < 0:
			entries = append(entries, entry)
		case op.op == kmsg.IncrementalAlterConfigOpSubtract && at >= 0:
			entries = slices.Delete(entries, at, at+1)
		}
	}
	return strings.Join(entries, ",")
}

func (m *model) validValue(r resource, key configKey, name, value string) *refusal {
	if len(value) > longestValue {
		if m.release.namesLongValues() {
			return refuse(kerr.InvalidConfig, "The configuration value cannot be added because it exceeds the maximum value size of %d bytes.", longestValue)
		}
		return refuse(kerr.UnknownServerError, "")
	}
	if key.valid != nil && !key.valid(value) {
		return invalid(r, "Invalid value %s for configuration %s", value, name)
	}
	if name == minISRKey && r.broker != nil && m.elr {
		return refuse(kerr.InvalidConfig, "Broker-level min.insync.replicas cannot be altered while ELR is enabled.")
	}
	if name == cordonedDirs && m.release.AtLeast(4, 3) {
		return m.validCordon(r.broker, value)
	}
	return nil
}

// invalid is the refusal of a value: by the controller for a topic, by the
// broker itself for its own settings, with another code.
func invalid(r resource, format string, args ...any) *refusal {
	if r.topic != nil {
		return refuse(kerr.InvalidConfig, format, args...)
	}
	return refuse(kerr.InvalidRequest, format, args...)
}

// validCordon is DynamicBrokerConfig and CFM.isCordonedLogDirsDisabled.
func (m *model) validCordon(b *broker, value string) *refusal {
	if m.metadataVersion < cordonMetadataVersion {
		return refuse(kerr.InvalidConfig, "The %s config can only be set from metadata version %d.", cordonedDirs, cordonMetadataVersion)
	}
	if b == nil {
		return invalid(resource{}, "Cannot update %s on the cluster default.", cordonedDirs)
	}
	if value == "*" || value == "" {
		return nil
	}
	for path := range strings.SplitSeq(value, ",") {
		if b.dir(path) == nil {
			return invalid(resource{broker: b}, "All entries in %s must be present in log.dirs: %s is not.", cordonedDirs, path)
		}
	}
	return nil
}

// setConfigs stores settings and does what follows from them. A changed
// min.insync.replicas wipes the ELR (createClearElrRecordsAsNeeded), and so
// does one set to the value it had.
func (m *model) setConfigs(r resource, next map[string]string, ops []configOp) {
	switch {
	case r.topic != nil:
		r.topic.configs = next
	case r.broker != nil:
		r.broker.configs = next
	default:
		m.defaults = next
	}
	m.copying.stale = true
	if !slices.ContainsFunc(ops, func(op configOp) bool { return op.name == minISRKey }) {
		return
	}
	m.eachPartition(func(p *partition) {
		if r.broker == nil && (r.topic == nil || r.topic == p.topic) {
			p.ELR, p.LastKnown = nil, nil
		}
		m.touched(p)
	})
}

// rate is a throttle rate that is in force on a broker.
func (m *model) rate(b *broker, key string) (bytesPerSec float64, ok bool) {
	v, ok := b.configs[key]
	if !ok && m.release.honoursDefaultRate() {
		v, ok = m.defaults[key]
	}
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(v, 10, 64)
	return float64(n), err == nil
}
