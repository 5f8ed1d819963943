package plan

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected text of the stories")

// TestStories runs testdata/*.txt. A story is a list of steps: a comment, a
// command with its lines, ----, and the text expected. "cluster" describes a
// cluster, "plan" plans a drain of it.
func TestStories(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runStory(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("%s differs; go test -update shows how:\n%s", file, firstDifference(got, string(text)))
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, g[i], w[i])
		}
	}
	return "one is longer"
}

// runStory returns the story with the text that the commands give now.
func runStory(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	var c Cluster
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		fmt.Fprintln(&out, line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var body []string
		for i++; i < len(lines) && lines[i] != "----"; i++ {
			fmt.Fprintln(&out, lines[i])
			body = append(body, lines[i])
		}
		fmt.Fprintln(&out, "----")
		for i+1 < len(lines) && lines[i+1] != "" {
			i++ // the text that was expected
		}
		switch verb, args, _ := strings.Cut(line, " "); verb {
		case "cluster":
			c = parseCluster(t, args, body)
			fmt.Fprintf(&out, "%d brokers, %d partitions\n", len(c.Brokers), c.NumPartitions())
		case "plan":
			out.WriteString(planStory(t, c, args))
		default:
			t.Fatalf("unknown command %q", verb)
		}
	}
	return out.String()
}

func planStory(t *testing.T, c Cluster, args string) string {
	t.Helper()
	p, err := Compute(c, parseRequest(t, args))
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	for _, f := range p.Findings {
		if what := disagrees(f); what != "" {
			t.Errorf("%+v %s", f, what)
		}
	}
	return p.String()
}

// disagrees says where the words of a finding, which are all that a story shows,
// tell something else than its fields, or "".
func disagrees(f Finding) string {
	name := f.Topic
	if f.Partition >= 0 {
		name = TopicPartition{f.Topic, f.Partition}.String()
	}
	broker := regexp.MustCompile(fmt.Sprintf(`(broker |\[)(\d+[ ,]+)*%d\b`, f.Broker))
	switch {
	case f.Risk == "" || f.Remedy == "":
		return "has no risk word, or no remedy"
	case f.Topic == "" && f.Partition != -1 || !strings.Contains(f.Message, name):
		return "does not name its partition"
	case f.Broker < -1 || f.Broker >= 0 && !broker.MatchString(f.Message):
		return "does not name its broker"
	}
	return ""
}

// words splits "a=1 b c=2" into pairs.
func words(s string) [][2]string {
	var pairs [][2]string
	for _, f := range strings.Fields(s) {
		k, v, _ := strings.Cut(f, "=")
		pairs = append(pairs, [2]string{k, v})
	}
	return pairs
}

// topicNamed picks one topic.
type topicNamed string

func (n topicNamed) Match(topic string) bool { return topic == string(n) }
func (n topicNamed) String() string          { return string(n) }

func parseRequest(t *testing.T, args string) Request {
	t.Helper()
	var r Request
	for _, kv := range words(args) {
		switch v := kv[1]; kv[0] {
		case "mode":
			if v == "at-risk" {
				r.Mode = AtRisk
			}
		case "to":
			r.Destinations = ids(t, v)
		case "racks":
			r.DestinationRacks = strings.Split(v, ",")
		case "exclude":
			r.Exclude = ids(t, v)
		case "draining":
			r.Draining = ids(t, v)
		case "without":
			r.ExcludeTopics = append(r.ExcludeTopics, topicNamed(v))
		case "throttle":
			r.BytesPerSec = number(t, v)
		case "slack":
			r.Slack = fraction(t, v)
		case "headroom":
			r.DiskHeadroom = fraction(t, v)
		case "accept":
			r.AcceptRisks = append(r.AcceptRisks, v)
		case "dirs":
			r.NameDirs = true
		default:
			r.Brokers = ids(t, kv[0])
		}
	}
	return r
}

// parseCluster reads a line a broker ("broker 1 rack=a"), a topic ("topic t
// min.insync.replicas=2"), a partition of the topic above ("0 1,2,3 isr=1,2").
func parseCluster(t *testing.T, args string, body []string) Cluster {
	t.Helper()
	b := Builder{Head: Cluster{ControllerID: -1, MinISRDefault: 1}}
	for _, kv := range words(args) {
		switch kv[0] {
		case "release":
			b.Head.Release = kv[1]
		case "elr":
			b.Head.ELR = true
		case "minisr":
			b.Head.MinISRDefault = int(number(t, kv[1]))
		case "quorum":
			b.Head.Quorum = &Quorum{}
			for _, id := range ids(t, kv[1]) {
				b.Head.Quorum.Voters = append(b.Head.Quorum.Voters, Voter{ID: id})
			}
		case "lagging":
			b.Head.Quorum.Lagging = ids(t, kv[1])
		}
	}
	for _, line := range body {
		switch w := words(line); w[0][0] {
		case "broker":
			b.Broker(parseBroker(t, w[1:]))
		case "topic":
			topic := Topic{Name: w[1][0], Configs: map[string]string{}}
			for _, kv := range w[2:] {
				topic.Configs[kv[0]] = kv[1]
			}
			b.Topic(topic)
		default:
			b.Partition(parsePartition(t, w))
		}
	}
	c, err := b.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func parseBroker(t *testing.T, w [][2]string) Broker {
	t.Helper()
	b := Broker{ID: ids(t, w[0][0])[0], CapacityBytes: 1000, UsableBytes: Unknown}
	for _, kv := range w[1:] {
		switch v := kv[1]; kv[0] {
		case "rack":
			b.Rack = v
		case "host":
			b.Host = v
		case "state":
			b.State = map[string]State{"fenced": Fenced, "shuttingDown": ShuttingDown, "down": Down}[v]
		case "cordoned":
			b.Cordoned = true
		case "capacity":
			b.CapacityBytes = number(t, v)
		case "free":
			b.UsableBytes = number(t, v)
		case "silent":
			b.CapacityBytes = Unknown
		case "dir": // path:total:free:logs
			f := strings.Split(v, ":")
			b.LogDirs = append(b.LogDirs, LogDir{
				Path: f[0], TotalBytes: number(t, f[1]), UsableBytes: number(t, f[2]), Replicas: int(number(t, f[3])),
			})
		}
	}
	return b
}

func parsePartition(t *testing.T, w [][2]string) PartitionView {
	t.Helper()
	v := PartitionView{Number: ids(t, w[0][0])[0], Replicas: ids(t, w[1][0]), LeaderEpoch: -1, SizeBytes: 1}
	v.ISR, v.Leader = slices.Clone(v.Replicas), v.Replicas[0]
	for _, kv := range w[2:] {
		switch kv[0] {
		case "isr":
			v.ISR = ids(t, kv[1])
		case "leader":
			v.Leader = ids(t, kv[1])[0]
		case "elr":
			v.ELR = ids(t, kv[1])
		case "adding":
			v.Adding = ids(t, kv[1])
		case "removing":
			v.Removing = ids(t, kv[1])
		case "offline":
			v.Offline = ids(t, kv[1])
		case "size":
			v.SizeBytes = number(t, kv[1])
		}
	}
	return v
}

func ids(t *testing.T, s string) []int32 {
	t.Helper()
	list := []int32{}
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' }) {
		list = append(list, int32(number(t, f)))
	}
	return list
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func fraction(t *testing.T, s string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
