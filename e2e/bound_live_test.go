package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drain/internal/kafkatest"
)

// The tests of this file take minutes and want a machine that does nothing else:
// they run with DRAIN_BARS=1 (make bars), where their figures decide.

// bulk is a cluster with so much on broker 1 that leaving it takes a minute and
// more: single-replica logs, which only broker 1 can send, beside replicated
// topics. All links are seen from outside.
type bulk struct {
	*kafkatest.Cluster
	place    *place
	throttle int64 // bytes a second
	before   kafkatest.State
	seen     *traffic
	writer   *writer
}

// startBulk puts perLog bytes into each of the single-replica logs.
func startBulk(t *testing.T, brokers int, throttle, perLog int64) *bulk {
	t.Helper()
	if os.Getenv("DRAIN_BARS") != "1" {
		t.Skip("it takes minutes, and its figures want a quiet machine: DRAIN_BARS=1")
	}
	kafkatest.Need(t)
	c := kafkatest.Start(t, kafkatest.Spec{
		Brokers: kafkatest.Brokers(brokers, "a", "b", "c"),
		Relay:   true,
		Config: map[string]string{
			"min.insync.replicas":              "2",
			"replica.fetch.response.max.bytes": "1000000",
			"offsets.topic.replication.factor": "3",
		},
	})
	const logs = 16
	c.CreateTopic("log", singleReplicas(logs+8, logs), nil)
	c.CreateTopic("pay", threeReplicas(12), nil)
	c.Fill("log", perLog*(logs+8))
	c.Fill("pay", 48e6)
	b := &bulk{Cluster: c, place: newPlace(t), throttle: throttle, seen: watchTraffic(t, c)}
	startReader(t, c.Bootstrap(), "pay").awaitRecords(t)
	b.writer = startWriter(t, c.Bootstrap(), map[string]int32{"log": logs + 8, "pay": 12}, 250*time.Millisecond)
	b.before = c.Describe()
	return b
}

// limit is the least time in which broker 1 can send what only it has, at 0.93
// of its throttle, which is what Kafka's quota lets through over time.
func (b *bulk) limit(t *testing.T) time.Duration {
	t.Helper()
	sum := bytesOn(t, b.Cluster, 1, func(p kafkatest.Partition) bool { return len(p.Replicas) == 1 })
	limit := time.Duration(float64(sum) / (0.93 * float64(b.throttle)) * float64(time.Second))
	if bound := limit * 93 / 100; bound < time.Minute {
		t.Fatalf("the bound is %v: want a minute at least", bound)
	}
	return limit
}

// attempt is how one way of moving everything off broker 1 went.
type attempt struct {
	name       string
	took       time.Duration    // as seen from outside: from the first move in flight to none
	usual      map[port]float64 // of the links before
	writes     latencies
	move       time.Duration // drain's own step; 0 for Kafka's tool
	profile    []string      // of what broker 1 sent
	peakAt     port
	peak, most float64 // the busiest port over 15 s and over 10 s, bytes a second over the usual
}

func (a attempt) String() string {
	return fmt.Sprintf("%-12s %5.1f s, busiest port over 15 s %.2f MB/s (%v), over 10 s %.2f MB/s, %v; broker 1 sent %v MB/s",
		a.name, a.took.Seconds(), a.peak/1e6, a.peakAt, a.most/1e6, &a.writes, a.profile)
}

// measure moves everything off broker 1 and puts it back.
func (b *bulk) measure(t *testing.T, name string, move func(*flight)) attempt {
	t.Helper()
	quiet := time.Now()
	<-time.After(5 * time.Second) // of usual traffic
	a := attempt{name: name, usual: b.seen.mean(quiet, time.Now())}
	b.writer.restart()
	flight := watchFlight(t, b.Cluster)
	move(flight)
	flight.wait(t, 10*time.Minute)
	began, ended := flight.span()
	a.took = ended.Sub(began)
	if a.writes = b.writer.restart(); len(a.writes.took) == 0 || ended.Sub(began) < 15*time.Second {
		t.Fatalf("%d writes within %v: too little to tell anything", len(a.writes.took), ended.Sub(began))
	}
	a.peakAt, a.peak = b.seen.peak(began, ended, 15*time.Second, a.usual)
	a.profile = b.seen.profile(port{1, true}, began, ended)
	_, a.most = b.seen.peak(began, ended, 10*time.Second, a.usual)
	putBack(t, b.Cluster, b.before)
	return a
}

// byDrain moves with drain, without the stop.
func (b *bulk) byDrain(t *testing.T) attempt {
	t.Helper()
	var r result
	a := b.measure(t, "drain", func(*flight) {
		text := runbookFor(b.Cluster, fmt.Sprintf("%dB/s", b.throttle)) + "steps: [check, cordon, move]\n"
		r = b.place.drain("run", b.place.runbook(text), "--yes", "--output", "json")
		r.want(t, 0)
	})
	a.move = stepTime(t, r.stdout, "move")
	return a
}

// byKafka moves with kafka-reassign-partitions as its users do: --generate for
// the brokers that stay, --execute, --verify.
func (b *bulk) byKafka(t *testing.T, name string, args ...string) attempt {
	t.Helper()
	return b.measure(t, name, func(flight *flight) {
		plan := b.generated(t)
		if out, err := b.JavaReassign(t.Context(), plan, append([]string{"--execute"}, args...)...); err != nil || !strings.Contains(out, "Successfully started") {
			t.Fatalf("%v\n%s", err, out)
		}
		flight.wait(t, 10*time.Minute)
		if out, err := b.JavaReassign(t.Context(), plan, "--verify"); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	})
}

// generated is the plan that Kafka's tool makes for the brokers that stay.
func (b *bulk) generated(t *testing.T) []byte {
	t.Helper()
	topics := filepath.Join(t.TempDir(), "topics.json")
	if err := os.WriteFile(topics, []byte(`{"version":1,"topics":[{"topic":"log"},{"topic":"pay"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var stay []string
	for _, id := range b.Brokers()[1:] {
		stay = append(stay, fmt.Sprint(id))
	}
	out, err := b.JavaTool(t.Context(), "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
		"--topics-to-move-json-file", topics, "--broker-list", strings.Join(stay, ","), "--generate")
	_, plan, found := strings.Cut(out, "Proposed partition reassignment configuration\n")
	if err != nil || !found {
		t.Fatalf("%v\n%s", err, out)
	}
	return []byte(plan)
}

// TestMovesTakeTheBound drains under several throttles and cluster sizes.
func TestMovesTakeTheBound(t *testing.T) {
	for _, c := range []struct {
		brokers          int
		throttle, perLog int64
	}{
		{5, 3e6, 12e6},
		{9, 5e6, 19.5e6},
	} {
		t.Run(fmt.Sprintf("%d brokers at %g MB per second", c.brokers, float64(c.throttle)/1e6), func(t *testing.T) {
			b := startBulk(t, c.brokers, c.throttle, c.perLog)
			limit := b.limit(t)
			a := b.byDrain(t)
			ratio := a.move.Seconds() / limit.Seconds()
			t.Logf("%v; the step %.1f s for %.1f s: ratio %.2f", a, a.move.Seconds(), limit.Seconds(), ratio)
			bar(t, ratio >= 0.85 && ratio <= 1.15, "moving took %.2f of what the throttle allows, want 0.85 to 1.15", ratio)
			b.underThrottle(t, a)
			b.writer.stop()
			b.writer.wantNoErrors(t)
		})
	}
}

// underThrottle holds every port against the throttle.
func (b *bulk) underThrottle(t *testing.T, a attempt) {
	t.Helper()
	over := a.peak / float64(b.throttle)
	bar(t, over <= 1.2, "%v carried %.2f of its throttle over 15 s, want 1.2 at most", a.peakAt, over)
}

// TestBesideKafkasOwnTool runs drain and kafka-reassign-partitions by turns under
// the same throttle, then both over links that are nearly full, where the tool
// has no throttle, as in the incident.
func TestBesideKafkasOwnTool(t *testing.T) {
	b := startBulk(t, 5, 1.5e6, 6e6)
	limit := b.limit(t)
	var ours, theirs []attempt
	for range 3 {
		ours = append(ours, b.byDrain(t))
		theirs = append(theirs, b.byKafka(t, "kafka's tool", "--throttle", fmt.Sprint(b.throttle)))
		t.Logf("\n%v\n%v", ours[len(ours)-1], theirs[len(theirs)-1])
	}
	for _, a := range ours {
		ratio := a.move.Seconds() / limit.Seconds()
		bar(t, ratio >= 0.85 && ratio <= 1.15, "moving took %.2f of what the throttle allows, want 0.85 to 1.15", ratio)
		b.underThrottle(t, a)
	}
	ourTime, theirTime := median(ours, attempt.seconds), median(theirs, attempt.seconds)
	ourP99, theirP99 := median(ours, attempt.p99), median(theirs, attempt.p99)
	t.Logf("medians: %.1f s beside %.1f s, p99 %.0f ms beside %.0f ms", ourTime, theirTime, 1000*ourP99, 1000*theirP99)
	bar(t, ourTime <= 1.05*theirTime, "drain took %.1f s, kafka's tool %.1f s", ourTime, theirTime)
	bar(t, ourP99 <= theirP99, "p99 of writes is %.0f ms with drain, %.0f ms with kafka's tool", 1000*ourP99, 1000*theirP99)

	b.narrow(t)
	b.writer.stop()
	b.writer.wantNoErrors(t)
}

// narrow caps every link at four times the throttle.
func (b *bulk) narrow(t *testing.T) {
	t.Helper()
	links := func(limit int64) {
		for _, id := range b.Brokers() {
			b.Relay(id).Limit(limit)
		}
	}
	links(4 * b.throttle)
	ours := b.byDrain(t)
	theirs := b.byKafka(t, "no throttle")
	links(0)
	t.Logf("narrow links\n%v\n%v", ours, theirs)
	twice := 2 * float64(b.throttle)
	bar(t, theirs.most > twice, "without a throttle the busiest port carried %.2f MB/s over 10 s: the links are too narrow for the test", theirs.most/1e6)
	bar(t, ours.most <= twice, "with drain a port carried %.2f MB/s over 10 s, want at most twice the throttle", ours.most/1e6)
	bar(t, ours.writes.longest <= 2*time.Second, "a write to %s waited %v, want 2 s at most", ours.writes.slowest, ours.writes.longest)
}

func (a attempt) seconds() float64 { return a.took.Seconds() }

func (a attempt) p99() float64 { return a.writes.p99().Seconds() }

func median(all []attempt, of func(attempt) float64) float64 {
	var values []float64
	for _, a := range all {
		values = append(values, of(a))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
