package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"drain/internal/kafkatest"
)

// The incident of the README: single-replica log topics beside replicated ones,
// in a cluster whose default min.insync.replicas is 2.
var incidentTopics = map[string]int32{"log": 20, "pay": 12, "state": 6}

// onBroker1 are the partitions that have their only replica on broker 1.
var onBroker1 = []string{"log-0", "log-1", "log-2", "log-3", "log-4", "log-5", "log-6", "log-7"}

func startIncident(t *testing.T) *kafkatest.Cluster {
	t.Helper()
	kafkatest.Need(t)
	c := kafkatest.Start(t, kafkatest.Spec{
		Brokers: kafkatest.Brokers(5, "a", "b", "c"),
		Config: map[string]string{
			"min.insync.replicas":              "2",
			"replica.fetch.response.max.bytes": "1000000", // so that a throttle bites on small moves
			"offsets.topic.replication.factor": "3",
		},
	})
	c.CreateTopic("log", singleReplicas(20, 8), nil)
	c.CreateTopic("pay", threeReplicas(12), nil)
	c.CreateTopic("state", threeReplicas(6), map[string]string{"cleanup.policy": "compact"})
	c.Fill("log", 54e6)
	c.Fill("pay", 4e6)
	c.Fill("state", 2e6)
	return c
}

// singleReplicas puts the first few partitions on broker 1 and deals the others
// to brokers 2 to 5.
func singleReplicas(n, first int32) map[int32][]int32 {
	lists := map[int32][]int32{}
	for p := range n {
		lists[p] = []int32{1}
		if p >= first {
			lists[p] = []int32{2 + p%4}
		}
	}
	return lists
}

// threeReplicas deals partitions over brokers 1 to 5 of racks a, b, c, a, b so
// that each has its replicas in three racks.
func threeReplicas(n int32) map[int32][]int32 {
	laps := [][]int32{{1, 2, 3}, {2, 3, 4}, {3, 4, 5}, {4, 5, 3}, {5, 3, 1}, {3, 1, 2}}
	lists := map[int32][]int32{}
	for p := range n {
		lists[p] = laps[int(p)%len(laps)]
	}
	return lists
}

// TestAKillLeavesWhatCheckSaid is the incident itself: kill -9 of broker 1.
func TestAKillLeavesWhatCheckSaid(t *testing.T) {
	c := startIncident(t)
	p := newPlace(t)
	r := p.drain("check", "--bootstrap", c.BootstrapOf(2), "--broker", "1", "--output", "json")
	r.want(t, 3)
	if got := leaderlessIn(t, r.stdout); !slices.Equal(got, onBroker1) {
		t.Fatalf("check names %v, want %v", got, onBroker1)
	}
	c.Kill(1)
	if err := c.WaitBrokers(t.Context(), 2, 3, 4, 5); err != nil {
		t.Fatal(err)
	}
	if got := c.Describe().Leaderless(); !slices.Equal(got, onBroker1) {
		t.Fatalf("leaderless after the kill: %v, want %v", got, onBroker1)
	}
}

func leaderlessIn(t *testing.T, stdout string) []string {
	t.Helper()
	var doc struct {
		Partitions []struct {
			Topic     string
			Partition int32
			Outcome   string
		}
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatalf("check's answer: %v\n%s", err, stdout)
	}
	var names []string
	for _, row := range doc.Partitions {
		if row.Outcome == "leaderless" {
			names = append(names, fmt.Sprintf("%s-%d", row.Topic, row.Partition))
		}
	}
	return names
}

// runbookFor is a runbook that drains broker 1 of a real cluster and stops it
// with the harness's own command.
func runbookFor(c *kafkatest.Cluster, throttle string) string {
	stop, _ := json.Marshal([]string{c.StopCommand(1)[0], "{broker}"})
	bootstrap, _ := json.Marshal([]string{c.BootstrapOf(2), c.BootstrapOf(3)})
	return fmt.Sprintf(`version: 1
broker: 1
cluster:
  bootstrap: %s
throttle: %s
confirm: 5s
stop:
  command: %s
`, bootstrap, throttle, stop)
}

// TestADrainDisturbsNobody is the cure: the same cluster, with clients at work.
func TestADrainDisturbsNobody(t *testing.T) {
	c := startIncident(t)
	p := newPlace(t)
	reader := startReader(t, c.Bootstrap(), "log", "pay", "state")
	writer := startWriter(t, c.Bootstrap(), incidentTopics, 50*time.Millisecond)
	java := c.JavaProducer("pay", 200, nil)
	reader.awaitRecords(t)
	before := c.Describe() // with __consumer_offsets
	const throttle = 1.5e6
	// What broker 1 has to send if it leads all that it leads now until every one of
	// its replicas has left.
	sends := bytesOn(t, c, 1, func(p kafkatest.Partition) bool { return p.Leader == 1 })
	bound := time.Duration(float64(sends) / throttle * float64(time.Second))
	if bound < 15*time.Second || bound > 20*time.Second {
		t.Fatalf("the bound is %v: the test wants 15 to 20 s", bound)
	}

	r := p.drain("run", p.runbook(runbookFor(c, "1.5MB/s")), "--yes", "--output", "json")
	r.want(t, 0)

	writer.stop()
	writer.judge(t, 8*time.Second)
	reader.stop(t)
	judgeJava(t, java.Stop())
	moved := stepTime(t, r.stdout, "move")
	t.Logf("move %v, bound %v: ratio %.2f", moved.Round(time.Millisecond), bound.Round(time.Millisecond), moved.Seconds()/bound.Seconds())
	ratio := moved.Seconds() / bound.Seconds()
	bar(t, ratio >= 0.85 && ratio <= 1.25, "moving took %.2f x the bound, want 0.85 to 1.25\n%s", ratio, timeline(r.stdout))
	judgeDrained(t, c, before)
	writer.readBack(t, []string{c.BootstrapOf(2)})
	if runs := c.StopRuns(1); runs != 1 {
		t.Errorf("the stop command ran %d times, want once", runs)
	}
}

// judgeJava fails the test for every record that Kafka's own producer could not
// write.
func judgeJava(t *testing.T, p kafkatest.Produced) {
	t.Helper()
	for _, f := range p.Failed[:min(len(p.Failed), 5)] {
		t.Errorf("Java producer: %s", f)
	}
	if len(p.Acked) == 0 {
		t.Error("Java producer: nothing was acknowledged")
	}
	t.Logf("Java producer: %d acknowledged, %d failed, longest gap %v", len(p.Acked), len(p.Failed), p.LongestGap())
}

// judgeDrained compares the cluster after a drain of broker 1 with the one before.
func judgeDrained(t *testing.T, c *kafkatest.Cluster, before kafkatest.State) {
	t.Helper()
	if err := c.WaitExit(1, 30*time.Second); err != nil {
		t.Error(err)
	}
	after, err := c.WaitState(t.Context(), "healthy", healthy)
	if err != nil {
		t.Error(err)
	}
	if on := after.OnBroker(1); len(on) > 0 {
		t.Errorf("still on broker 1: %v", on)
	}
	for name, topic := range before.Topics {
		for n, was := range topic.Partitions {
			is := after.Topics[name].Partitions[n]
			if len(is.Replicas) != len(was.Replicas) {
				t.Errorf("%s-%d: replicas %v, were %v", name, n, is.Replicas, was.Replicas)
			}
			if racksOf(is.Replicas) < racksOf(was.Replicas) {
				t.Errorf("%s-%d: replicas %v are in fewer racks than %v", name, n, is.Replicas, was.Replicas)
			}
		}
	}
	for owner, settings := range after.Configs {
		if owner == "broker 1" {
			continue
		}
		if was := before.Configs[owner]; !sameSettings(settings, was) {
			t.Errorf("settings of %s: %v, were %v", owner, settings, was)
		}
	}
}

// bytesOn is the size of a broker's logs of the partitions that fit.
func bytesOn(t *testing.T, c *kafkatest.Cluster, id int32, fits func(kafkatest.Partition) bool) int64 {
	t.Helper()
	dirs, err := kadm.NewClient(c.Client()).DescribeBrokerLogDirs(t.Context(), id, nil)
	if err != nil {
		t.Fatal(err)
	}
	state := c.Describe()
	var sum int64
	dirs.Each(func(d kadm.DescribedLogDir) {
		d.Topics.Each(func(p kadm.DescribedLogDirPartition) {
			if fits(state.Topics[p.Topic].Partitions[p.Partition]) {
				sum += p.Size
			}
		})
	})
	return sum
}

func healthy(s kafkatest.State) error {
	if l := s.Leaderless(); len(l) > 0 {
		return fmt.Errorf("leaderless: %v", l)
	}
	if u := s.UnderReplicated(); len(u) > 0 {
		return fmt.Errorf("under-replicated: %v", u)
	}
	return nil
}

// racksOf counts the racks of brokers 1 to 5, which are a, b, c, a, b.
func racksOf(ids []int32) int {
	racks := map[int32]bool{}
	for _, id := range ids {
		racks[(id-1)%3] = true
	}
	return len(racks)
}

func sameSettings(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

// stepTime is how long a step took, by the events of a run.
func stepTime(t *testing.T, events, step string) time.Duration {
	t.Helper()
	var began, ended time.Time
	for line := range strings.Lines(events) {
		var ev struct {
			Time        time.Time
			Event, Step string
		}
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatalf("event: %v\n%s", err, line)
		}
		switch {
		case ev.Step != step:
		case ev.Event == "step":
			began = ev.Time
		case ev.Event == "done":
			ended = ev.Time
		}
	}
	if began.IsZero() || ended.IsZero() {
		t.Fatalf("no step %s in\n%s", step, events)
	}
	return ended.Sub(began)
}

// timeline is the events of a run, a line each, for failures.
func timeline(events string) string {
	var b strings.Builder
	for line := range strings.Lines(events) {
		var ev struct {
			Time              time.Time
			Event, Step, Text string
		}
		if json.Unmarshal([]byte(line), &ev) == nil {
			fmt.Fprintf(&b, "%s %s %s %s\n", ev.Time.Format("15:04:05.000"), ev.Step, ev.Event, ev.Text)
		}
	}
	return b.String()
}

// reader is a consumer group that reads some topics and commits.
type reader struct {
	client  *kgo.Client
	cancel  context.CancelFunc
	done    chan struct{}
	records chan struct{}
	errs    []error
}

func startReader(t *testing.T, bootstrap []string, topics ...string) *reader {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap...), kgo.ConsumerGroup("readers"), kgo.ConsumeTopics(topics...))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	r := &reader{client: client, cancel: cancel, done: make(chan struct{}), records: make(chan struct{}, 1)}
	go r.read(ctx)
	t.Cleanup(func() { cancel(); <-r.done; client.Close() })
	return r
}

func (r *reader) read(ctx context.Context) {
	defer close(r.done)
	for ctx.Err() == nil {
		fetches := r.client.PollFetches(ctx)
		fetches.EachError(func(topic string, p int32, err error) {
			if ctx.Err() == nil {
				r.errs = append(r.errs, fmt.Errorf("%s-%d: %w", topic, p, err))
			}
		})
		if fetches.NumRecords() > 0 {
			select {
			case r.records <- struct{}{}:
			default:
			}
		}
	}
}

func (r *reader) awaitRecords(t *testing.T) {
	t.Helper()
	select {
	case <-r.records:
	case <-time.After(30 * time.Second):
		t.Fatal("the consumer group got nothing within 30 s")
	}
}

func (r *reader) stop(t *testing.T) {
	t.Helper()
	r.cancel()
	<-r.done
	for _, err := range r.errs {
		t.Errorf("consumer: %v", err)
	}
}
