package plan

import (
	"encoding/hex"
	"hash/fnv"
	"strings"
)

func (r *snapshotReader) topic() {
	r.b.Topic(Topic{})
	r.what = "topic"
	at := len(r.b.topics) - 1
	r.object(newKeys("name", "id", "configs", "partitions"), func(name int) {
		if r.null() {
			return
		}
		switch name {
		case 0:
			r.b.topics[at].Name = string(r.string())
		case 1:
			r.b.topics[at].ID = identity(string(r.string()))
		case 2:
			r.b.topics[at].Configs = r.configs()
		case 3:
			r.array(r.partition)
		}
	})
	if r.b.topics[at].Name == "" {
		r.fail("a topic has no name")
	}
}

// identity reads a topic ID. Kafka writes it as base64, some tools as
// hexadecimal; any other text is an identity too, and its hash will do to tell
// one incarnation of a topic from another.
func identity(s string) [16]byte {
	if id, err := ParseTopicID(s); err == nil {
		return id
	}
	if raw, err := hex.DecodeString(strings.ReplaceAll(s, "-", "")); err == nil && len(raw) == 16 {
		return [16]byte(raw)
	}
	h := fnv.New128a()
	h.Write([]byte(s))
	return [16]byte(h.Sum(nil))
}

// configs reads overrides. A number or truth value counts as its text.
func (r *snapshotReader) configs() map[string]string {
	configs := map[string]string{}
	r.expect('{')
	for more := r.peek() != '}'; more && r.err == nil; more = r.comma('}') {
		key := string(r.string())
		r.expect(':')
		if _, twice := configs[key]; twice {
			r.fail("the key %q is there twice", key)
		}
		configs[key] = r.scalar()
	}
	r.expect('}')
	if len(configs) == 0 {
		return nil
	}
	return configs
}

func newPartitionKeys() *keys {
	return newKeys("partition", "leader", "replicas", "isr", "sizeBytes",
		"leaderEpoch", "elr", "lastKnownElr", "adding", "removing", "offline")
}

func (r *snapshotReader) partition() {
	v := &r.v
	*v = PartitionView{
		Number: -1, Leader: NoLeader, LeaderEpoch: -1, SizeBytes: Unknown,
		Replicas: v.Replicas[:0], ISR: v.ISR[:0], ELR: v.ELR[:0], LastKnownELR: v.LastKnownELR[:0],
		Adding: v.Adding[:0], Removing: v.Removing[:0], Offline: v.Offline[:0],
	}
	r.what, r.number = "partition", -1
	r.object(r.partitionKeys, r.partitionField)
	if v.Number < 0 {
		r.fail("a partition has no number of 0 or more")
	}
	r.what = "topic"
	r.b.partition(v)
}

func (r *snapshotReader) partitionField(name int) {
	if r.null() {
		return
	}
	switch v := &r.v; name {
	case 0:
		v.Number = r.int32()
		r.number = v.Number
	case 1:
		v.Leader = max(NoLeader, r.int32())
	case 2:
		v.Replicas = r.int32s(v.Replicas)
	case 3:
		v.ISR = r.int32s(v.ISR)
	case 4:
		v.SizeBytes = r.bytes()
	case 5:
		v.LeaderEpoch = r.int32()
	case 6:
		v.ELR = r.int32s(v.ELR)
	case 7:
		v.LastKnownELR = r.int32s(v.LastKnownELR)
	case 8:
		v.Adding = r.int32s(v.Adding)
	case 9:
		v.Removing = r.int32s(v.Removing)
	case 10:
		v.Offline = r.int32s(v.Offline)
	}
}
