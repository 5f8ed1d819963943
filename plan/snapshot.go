package plan

import (
	"encoding/hex"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
	"time"
)

// ReadSnapshot reads a cluster in the snapshot form (docs/FORMATS.md), from
// front to back and into flat arrays: a file of two million partitions needs
// little more than the cluster itself. Keys that it does not know are left
// aside. What it cannot read is a [*SnapshotError] with line and byte.
func ReadSnapshot(r io.Reader) (Cluster, error) {
	read := &snapshotReader{scanner: newScanner(r), partitionKeys: newPartitionKeys()}
	read.b.Head = Cluster{ControllerID: -1, MinISRDefault: 1}
	read.within = read.place
	read.document()
	read.atEnd()
	if read.err != nil {
		return Cluster{}, read.err
	}
	c, err := read.b.Cluster()
	if err != nil {
		return Cluster{}, &SnapshotError{Line: 1, Reason: err.Error(), Err: err}
	}
	return c, nil
}

type snapshotReader struct {
	*scanner
	b Builder

	// Where in the document, for errors.
	what   string
	number int32

	partitionKeys *keys

	// v is used for each partition in turn; the builder copies its lists.
	v PartitionView
}

// place names the broker, topic or partition that is being read.
func (r *snapshotReader) place() string {
	switch {
	case r.what == "topic":
		return "topic " + r.topicName()
	case r.what == "partition" && r.number < 0:
		return "a partition of topic " + r.topicName()
	case r.what == "partition":
		return "partition " + TopicPartition{r.topicName(), r.number}.String()
	case r.what == "broker" && r.number >= 0:
		return "broker " + strconv.Itoa(int(r.number))
	}
	return r.what
}

func (r *snapshotReader) topicName() string { return r.b.topics[len(r.b.topics)-1].Name }

func (r *snapshotReader) document() {
	r.object(newKeys("version", "takenAt", "cluster", "brokers", "topics", "notes"), func(name int) {
		switch name {
		case 0:
			if v := r.int64(); v != 1 {
				r.fail("version %d: this program reads version 1", v)
			}
		case 1:
			r.b.Head.TakenAt = r.time()
		case 2:
			r.what = "cluster"
			r.cluster()
		case 3:
			r.array(r.broker)
		case 4:
			r.array(r.topic)
		case 5:
			r.what = "notes"
			r.array(r.note)
		}
		r.what = ""
	})
}

func (r *snapshotReader) time() time.Time {
	if r.null() {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, string(r.string()))
	if err != nil {
		r.fail("want a time such as 2026-11-29T20:00:00Z")
	}
	return t
}

func (r *snapshotReader) cluster() {
	h := &r.b.Head
	names := newKeys(
		"id", "mode", "controllerId", "release", "metadataVersion", "elr",
		"minInsyncReplicasDefault", "uncleanDefault", "quorum", "releases", "heard")
	r.object(names, func(name int) {
		if name != 7 && r.null() {
			return
		}
		switch name {
		case 0:
			h.ID = string(r.string())
		case 1:
			h.Mode = ControllerMode(r.oneOf("kraft", "zookeeper"))
		case 2:
			h.ControllerID = r.int32()
		case 3:
			h.Release = string(r.string())
		case 4:
			h.MetadataVersion = int(r.int32())
		case 5:
			h.ELR = r.bool()
		case 6:
			h.MinISRDefault = max(1, int(r.int32()))
		case 7:
			h.UncleanDefault = r.tristate()
		case 8:
			h.Quorum = r.quorum()
		case 9:
			r.array(func() { h.Releases = append(h.Releases, string(r.string())) })
		case 10:
			r.array(func() { h.Heard = append(h.Heard, r.heard()) })
		}
	})
}

// tristate reads true, false, or null for unknown.
func (r *snapshotReader) tristate() Tristate {
	switch {
	case r.null():
		return Maybe
	case r.bool():
		return On
	}
	return Off
}

// oneOf reads one of the words and returns its place.
func (r *snapshotReader) oneOf(words ...string) int {
	s := r.string()
	for i, w := range words {
		if string(s) == w {
			return i
		}
	}
	r.fail("unknown word %q: want one of %s", s, strings.Join(words, ", "))
	return 0
}

func (r *snapshotReader) quorum() *Quorum {
	q := &Quorum{LeaderID: -1}
	r.object(newKeys("leaderId", "voters", "lagging"), func(name int) {
		switch name {
		case 0:
			q.LeaderID = r.int32()
		case 1:
			r.array(func() { q.Voters = append(q.Voters, r.voter()) })
		case 2:
			q.Lagging = r.int32s(nil)
		}
	})
	return q
}

func (r *snapshotReader) heard() Heard {
	h := Heard{ID: -1}
	r.object(newKeys("id", "at"), func(name int) {
		if name == 0 {
			h.ID = r.int32()
		} else {
			h.At = r.time()
		}
	})
	return h
}

func (r *snapshotReader) voter() Voter {
	v := Voter{ID: -1}
	r.object(newKeys("id", "host"), func(name int) {
		if name == 0 {
			v.ID = r.int32()
		} else if !r.null() {
			v.Host = string(r.string())
		}
	})
	return v
}

func (r *snapshotReader) broker() {
	r.what, r.number = "broker", -1
	b := Broker{ID: -1, CapacityBytes: Unknown, UsableBytes: Unknown}
	names := newKeys("id", "rack", "host", "port", "state", "cordoned", "capacityBytes", "usableBytes", "logDirs")
	r.object(names, func(name int) {
		if r.null() {
			return
		}
		switch name {
		case 0:
			b.ID = r.int32()
			r.number = b.ID
		case 1:
			b.Rack = string(r.string())
		case 2:
			b.Host = string(r.string())
		case 3:
			b.Port = r.int32()
		case 4:
			b.State = State(r.oneOf("alive", "fenced", "shuttingDown", "down"))
		case 5:
			b.Cordoned = r.bool()
		case 6:
			b.CapacityBytes = r.bytes()
		case 7:
			b.UsableBytes = r.bytes()
		case 8:
			r.array(func() { b.LogDirs = append(b.LogDirs, r.logDir()) })
		}
	})
	if b.ID < 0 {
		r.fail("a broker has no id of 0 or more")
	}
	r.b.Broker(b)
}

// bytes reads a number of bytes; -1 is unknown, as Kafka answers.
func (r *snapshotReader) bytes() int64 {
	n := r.int64()
	if n < Unknown {
		r.fail("%d is no number of bytes", n)
	}
	return n
}

func (r *snapshotReader) logDir() LogDir {
	l := LogDir{TotalBytes: Unknown, UsableBytes: Unknown}
	r.object(newKeys("path", "totalBytes", "usableBytes", "offline", "replicas"), func(name int) {
		if r.null() {
			return
		}
		switch name {
		case 0:
			l.Path = string(r.string())
		case 1:
			l.TotalBytes = r.bytes()
		case 2:
			l.UsableBytes = r.bytes()
		case 3:
			l.Offline = r.bool()
		case 4:
			l.Replicas = int(r.int32())
		}
	})
	return l
}

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

func (r *snapshotReader) note() {
	f := Finding{Partition: -1, Broker: -1}
	r.object(newKeys("level", "risk", "topic", "partition", "broker", "message", "remedy"), func(name int) {
		switch name {
		case 0:
			f.Level = Level(r.oneOf("warn", "block"))
		case 1:
			f.Risk = string(r.string())
		case 2:
			f.Topic = string(r.string())
		case 3:
			f.Partition = r.int32()
		case 4:
			f.Broker = r.int32()
		case 5:
			f.Message = string(r.string())
		case 6:
			f.Remedy = string(r.string())
		}
	})
	r.b.Head.Notes = append(r.b.Head.Notes, f)
}
