package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/election"
	"drain/internal/kafkatest"
)

// Of five brokers one lives and cannot follow some topics, and one was stopped
// before anything is asked: so replicas are in sync, behind, or away.
const (
	laggard int32 = 4
	away    int32 = 5
)

// worn is a cluster whose in-sync replicas are short in many ways.
type worn struct {
	c     *kafkatest.Cluster
	rules election.Rules
}

func startWorn(t *testing.T, spec kafkatest.Spec, rules election.Rules, seed uint64) worn {
	t.Helper()
	spec.Brokers = kafkatest.Brokers(5)
	spec.Config = map[string]string{
		"auto.leader.rebalance.enable": "false",
		"replica.fetch.max.bytes":      "12000",  // so that a throttle bites on small logs
		"replica.lag.time.max.ms":      "600000", // only a loss takes a replica out of sync
	}
	w := worn{kafkatest.Start(t, spec), rules}
	w.create(t, layout(rand.New(rand.NewPCG(seed, 1))))
	w.fallBehind(t)
	w.stop(t, away)
	return w
}

// behind begins the names of the topics that the laggard cannot follow.
const behind = "behind"

// layout is a topic of each kind with any number of replicas, on brokers drawn
// by lot. Those that are to fall behind have a replica on the laggard.
func layout(rng *rand.Rand) []kmsg.CreateTopicsRequestTopic {
	var topics []kmsg.CreateTopicsRequestTopic
	add := func(prefix string, rf, minISR, partitions int) {
		for _, unclean := range []string{"false", "true"} {
			topic := newTopic(fmt.Sprintf("%s-rf%d-min%d-unclean-%s", prefix, rf, minISR, unclean), strconv.Itoa(minISR), unclean)
			for p := range partitions {
				list := draw(rng, rf)
				for prefix == behind && !slices.Contains(list, laggard) {
					list = draw(rng, rf)
				}
				topic.ReplicaAssignment = append(topic.ReplicaAssignment, kmsg.CreateTopicsRequestTopicReplicaAssignment{Partition: int32(p), Replicas: list})
			}
			topics = append(topics, topic)
		}
	}
	for rf := 1; rf <= 5; rf++ {
		add("any", rf, 1, 4)
		add("any", rf, 2, 4)
	}
	// Where the ISR is under its minimum the high watermark stands still, and who
	// has reached it is in sync: two replicas and a minimum of two do not do.
	add(behind, 2, 1, partitionsBehind)
	add(behind, 3, 1, partitionsBehind)
	add(behind, 3, 2, partitionsBehind)
	return topics
}

// partitionsBehind are the partitions of a topic that falls behind.
const partitionsBehind = 3

func newTopic(name, minISR, unclean string) kmsg.CreateTopicsRequestTopic {
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, -1, -1
	for key, value := range map[string]string{"min.insync.replicas": minISR, "unclean.leader.election.enable": unclean} {
		topic.Configs = append(topic.Configs, kmsg.CreateTopicsRequestTopicConfig{Name: key, Value: &value})
	}
	return topic
}

// create makes all topics by one request, and waits for them.
func (w worn) create(t *testing.T, topics []kmsg.CreateTopicsRequestTopic) {
	t.Helper()
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis, req.Topics = 30_000, topics
	resp, err := req.RequestWith(t.Context(), w.c.Client())
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range resp.Topics {
		if err := kerr.ErrorForCode(topic.ErrorCode); err != nil {
			t.Fatalf("create topic %s: %v", topic.Topic, err)
		}
	}
	ctx, cancel := within(t, time.Minute)
	defer cancel()
	if _, err := w.c.WaitState(ctx, "all topics", func(s kafkatest.State) error {
		if bad := slices.Concat(s.Leaderless(), s.UnderReplicated()); len(s.Topics) < len(topics) || len(bad) > 0 {
			return fmt.Errorf("%d topics, not in sync: %v", len(s.Topics), bad)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// draw is a list of different brokers.
func draw(rng *rand.Rand, rf int) []int32 {
	list := make([]int32, rf)
	for i, at := range rng.Perm(5)[:rf] {
		list[i] = int32(at + 1)
	}
	return list
}

// fallBehind keeps the laggard out of the ISR of its topics: what is written
// while it is away it may then fetch at one byte a second only.
func (w worn) fallBehind(t *testing.T) {
	t.Helper()
	topics := slices.DeleteFunc(slices.Sorted(maps.Keys(w.c.Describe().Topics)), func(name string) bool { return !strings.HasPrefix(name, behind) })
	all, rate := "*", "1"
	answers, err := kadm.NewClient(w.c.Client()).AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "follower.replication.throttled.replicas", Value: &all}}, topics...)
	for _, a := range answers {
		err = errors.Join(err, a.Err)
	}
	if err != nil {
		t.Fatal(err)
	}
	alterBroker(t, w.c, laggard, kadm.AlterConfig{Name: "follower.replication.throttled.rate", Value: &rate})
	w.stop(t, laggard)
	w.write(t, topics)
	w.c.Restart(laggard)
	w.waitListed(t, w.c.Brokers()...)
	for _, topic := range topics {
		for n, p := range w.c.Describe().Topics[topic].Partitions {
			if slices.Contains(p.ISR, laggard) {
				t.Fatalf("%s-%d: broker %d is in sync already, %+v", topic, n, laggard, p)
			}
		}
	}
}

// write appends 600 kB to each partition, a batch a record, that the leader
// alone acknowledges: some are under their min ISR.
func (w worn) write(t *testing.T, topics []string) {
	t.Helper()
	client := w.c.Client(kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite(), kgo.ProducerBatchMaxBytes(12_000))
	value := make([]byte, 10_000)
	var records []*kgo.Record
	for range 60 {
		for _, topic := range topics {
			for p := range int32(partitionsBehind) {
				records = append(records, &kgo.Record{Topic: topic, Partition: p, Value: value})
			}
		}
	}
	if err := client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// stop stops a broker in order and waits until the others have seen it.
func (w worn) stop(t *testing.T, id int32) {
	t.Helper()
	w.c.Term(id)
	if err := w.c.WaitExit(id, time.Minute); err != nil {
		t.Fatal(err)
	}
	w.waitListed(t, w.others([]int32{id})...)
}

// others are the brokers that run, but for those.
func (w worn) others(gone []int32) []int32 {
	return slices.DeleteFunc(w.c.Brokers(), func(id int32) bool { return slices.Contains(gone, id) || !w.c.Alive(id) })
}

// controller is the broker that is the controller; ZooKeeper mode.
func (w worn) controller(t *testing.T) int32 {
	t.Helper()
	meta, err := kadm.NewClient(w.c.Client()).BrokerMetadata(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return meta.Controller
}

func (w worn) waitListed(t *testing.T, ids ...int32) {
	t.Helper()
	ctx, cancel := within(t, time.Minute)
	defer cancel()
	if err := w.c.WaitBrokers(ctx, ids...); err != nil {
		t.Fatal(err)
	}
}

// bringBack starts all brokers but the one that is away, and waits until all
// replicas are in sync that can be, and nothing changes any more.
func (w worn) bringBack(t *testing.T) {
	t.Helper()
	for _, id := range w.c.Brokers() {
		if id != away && !w.c.Alive(id) {
			w.c.Restart(id)
		}
	}
	up := w.others(nil)
	w.waitListed(t, up...)
	ctx, cancel := within(t, time.Minute)
	defer cancel()
	var last kafkatest.State
	still := 0
	_, err := w.c.WaitState(ctx, "replicas in sync that can be", func(s kafkatest.State) error {
		diff := last.Diff(s)
		last = s
		if bad := notSettled(s, up); len(bad) > 0 {
			still = 0
			return fmt.Errorf("not in sync: %v", bad)
		}
		if len(diff) > 0 {
			still = 0
			return fmt.Errorf("changes still: %v", diff[0])
		}
		if still++; still < 10 {
			return errors.New("not yet still for ten looks")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// notSettled are the partitions with a leader and a live replica that is not in
// sync and could be.
func notSettled(s kafkatest.State, up []int32) []string {
	return s.Where(func(p kafkatest.Partition) bool {
		return p.Leader >= 0 && slices.ContainsFunc(p.Replicas, func(id int32) bool {
			return id != laggard && slices.Contains(up, id) && !slices.Contains(p.ISR, id)
		})
	})
}

func within(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}
