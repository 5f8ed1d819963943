package plan

import (
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
	read.expectFile(r)
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

func (r *snapshotReader) note() {
	f := Finding{Partition: -1, Broker: -1}
	r.object(newKeys("level", "risk", "topic", "partition", "broker", "message", "remedy", "key"), func(name int) {
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
		case 7:
			f.Key = string(r.string())
		}
	})
	r.b.Head.Notes = append(r.b.Head.Notes, f)
}
