package kafkatest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// JavaProducer is a running VerifiableProducer: a Java client that writes numbers
// with acks=all and retries, and notes each answer.
type JavaProducer struct {
	cluster *Cluster
	topic   string
	process *process
	out     string // the file of its notes, a JSON object a line
}

// Ack is a record that the cluster promised to keep.
type Ack struct {
	Topic     string
	Partition int32
	Offset    int64
	Value     string
	At        time.Time // when the client had the answer; to a millisecond
}

// Produced is what a JavaProducer noted.
type Produced struct {
	Acked  []Ack    // in the order of the answers
	Failed []string // what the client said of each record that it gave up
}

// JavaProducer starts a Java client that writes so many records a second to a
// topic, and returns when the first one is acked. Config holds more properties of
// the client, such as "linger.ms". It ends by Stop, or with the test.
func (c *Cluster) JavaProducer(topic string, perSecond int, config map[string]string) *JavaProducer {
	c.t.Helper()
	p := &JavaProducer{cluster: c, topic: topic}
	if err := p.start(perSecond, config); err != nil {
		c.t.Fatalf("java producer of %s: %v", topic, err)
	}
	c.t.Cleanup(p.process.kill)
	ctx, cancel := c.context()
	defer cancel()
	err := poll(ctx, "the first ack of the java producer of "+topic, func() error {
		if !p.process.alive() {
			return fmt.Errorf("it ended: %s", tail(p.out, tailLines))
		}
		produced, err := p.read()
		if err == nil && len(produced.Acked) == 0 {
			err = fmt.Errorf("none yet, failed %q", produced.Failed)
		}
		return err
	})
	if err != nil {
		c.t.Fatalf("%v", err)
	}
	return p
}

func (p *JavaProducer) start(perSecond int, config map[string]string) error {
	c := p.cluster
	dir, err := os.MkdirTemp(c.root, "producer-")
	if err != nil {
		return err
	}
	properties := map[string]string{"retries": strconv.Itoa(math.MaxInt32), "enable.idempotence": "true"}
	for key, value := range config {
		properties[key] = value
	}
	file, err := c.javaConfig(filepath.Join(filepath.Base(dir), "client.properties"), properties)
	if err != nil {
		return err
	}
	bootstrap := "--bootstrap-server"
	if c.spec.before(3, 0) {
		bootstrap = "--broker-list"
	}
	argv := c.toolCommand("org.apache.kafka.tools.VerifiableProducer",
		bootstrap, strings.Join(c.Bootstrap(), ","), "--topic", p.topic, "--acks", "-1",
		"--throughput", strconv.Itoa(perSecond), "--producer.config", file)
	p.out = filepath.Join(dir, "out")
	out, err := os.Create(p.out)
	if err != nil {
		return err
	}
	defer out.Close() // the child has its own descriptor
	p.process, err = startProcess(dir, argv, out, out)
	return err
}

// Stop ends the client, which first waits for the answers to what it sent, and
// returns all that it noted.
func (p *JavaProducer) Stop() Produced {
	t := p.cluster.t
	t.Helper()
	if err := p.process.signal(terminate); err != nil {
		t.Fatalf("stop the java producer of %s: %v\n%s", p.topic, err, tail(p.out, tailLines))
	}
	if !p.process.wait(time.Minute) {
		t.Fatalf("the java producer of %s still waits for answers after a minute", p.topic)
	}
	produced, err := p.read()
	if err != nil {
		t.Fatalf("java producer of %s: %v", p.topic, err)
	}
	return produced
}

// note is one line of a VerifiableProducer.
type note struct {
	Name      string
	Timestamp int64 // ms since 1970
	Topic     string
	Partition int32
	Offset    int64
	Value     string
	Exception string
	Message   string
}

// read parses the notes so far. Lines that are no JSON are the client's log; the
// last may be half written.
func (p *JavaProducer) read() (Produced, error) {
	text, err := os.ReadFile(p.out)
	if err != nil {
		return Produced{}, err
	}
	var produced Produced
	for line := range bytes.Lines(text) {
		var n note
		if json.Unmarshal(line, &n) != nil {
			continue
		}
		switch n.Name {
		case "producer_send_success":
			produced.Acked = append(produced.Acked, Ack{n.Topic, n.Partition, n.Offset, n.Value, time.UnixMilli(n.Timestamp)})
		case "producer_send_error":
			produced.Failed = append(produced.Failed, fmt.Sprintf("%s: %s: %s", n.Value, n.Exception, n.Message))
		}
	}
	return produced, nil
}

// LongestGap is the longest time between two answers.
func (p Produced) LongestGap() time.Duration {
	var longest time.Duration
	for i, ack := range p.Acked[min(1, len(p.Acked)):] {
		longest = max(longest, ack.At.Sub(p.Acked[i].At))
	}
	return longest
}

// LongestWait is the longest time that a record is known to have waited for its
// answer. The client notes no send times, but it sends its numbers in order: a
// record whose answer came after that of a later number has waited at least
// between the two. When all of them stand still, the gap shows it.
func (p Produced) LongestWait() time.Duration {
	longest := p.LongestGap()
	highest, since := int64(-1), []time.Time{} // when each number was known to be sent
	for _, ack := range p.Acked {
		number, err := strconv.ParseInt(ack.Value, 10, 64)
		if err != nil {
			continue
		}
		for ; highest < number; highest++ {
			since = append(since, ack.At)
		}
		longest = max(longest, ack.At.Sub(since[number]))
	}
	return longest
}
