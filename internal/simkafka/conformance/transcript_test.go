package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// stage is a cluster, real or simulated, and the transcript of what it said.
type stage struct {
	t     *testing.T
	cl    *kgo.Client
	newer bool               // a release from 4.3 on
	stop  func(broker int32) // SIGTERM
	kill  func(broker int32) // SIGKILL
	lines []string
}

func (s *stage) say(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// ask sends a request to broker 2, which no act stops.
func ask[A kmsg.Response](s *stage, req kmsg.Request) A {
	s.t.Helper()
	return askOf[A](s, 2, req)
}

func askOf[A kmsg.Response](s *stage, broker int, req kmsg.Request) A {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	resp, err := s.cl.Broker(broker).RetriableRequest(ctx, req)
	if err != nil {
		s.t.Fatalf("%s at broker %d: %v", kmsg.NameForKey(req.Key()), broker, err)
	}
	return resp.(A)
}

// code is the name of an error code.
func code(c int16) string {
	if err := kerr.TypedErrorForCode(c); err != nil {
		return err.Message
	}
	return "ok"
}

// until polls for a line that contains want, and says it.
func (s *stage) until(want string, line func() string) {
	s.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var last string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if last = line(); strings.Contains(last, want) {
			s.say("%s", last)
			return
		}
		select {
		case <-tick.C:
		case <-s.t.Context().Done():
			s.t.Fatal(context.Cause(s.t.Context()))
		}
	}
	s.t.Fatalf("waited for %q, and it is %q", want, last)
}

// partition is what DescribeTopicPartitions says of one.
func (s *stage) partition(topic string, number int) string {
	s.t.Helper()
	req := kmsg.NewPtrDescribeTopicPartitionsRequest()
	req.ResponsePartitionLimit = 2000
	asked := kmsg.NewDescribeTopicPartitionsRequestTopic()
	asked.Topic = topic
	req.Topics = append(req.Topics, asked)
	t := ask[*kmsg.DescribeTopicPartitionsResponse](s, req).Topics[0]
	if t.ErrorCode != 0 {
		return fmt.Sprintf("%s: %s", topic, code(t.ErrorCode))
	}
	p := t.Partitions[number]
	return fmt.Sprintf("%s-%d: %s leader %d replicas %v isr %v elr %v last %v offline %v", topic, number, code(p.ErrorCode),
		p.LeaderID, p.Replicas, ordered(p.ISR), ordered(p.EligibleLeaderReplicas), p.LastKnownELR, ordered(p.OfflineReplicas))
}

func ordered(ids []int32) []int32 {
	return slices.Sorted(slices.Values(ids))
}

// moves lists what is in flight.
func (s *stage) moves() string {
	s.t.Helper()
	resp := ask[*kmsg.ListPartitionReassignmentsResponse](s, kmsg.NewPtrListPartitionReassignmentsRequest())
	line := "in flight: " + code(resp.ErrorCode)
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			line += fmt.Sprintf(" %s-%d %v +%v -%v", t.Topic, p.Partition, p.Replicas, p.AddingReplicas, p.RemovingReplicas)
		}
	}
	return line
}

// alter submits a target list, nil to cancel.
func (s *stage) alter(topic string, number int32, target []int32, mayChangeFactor bool) {
	s.t.Helper()
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.AllowReplicationFactorChange = mayChangeFactor
	t := kmsg.NewAlterPartitionAssignmentsRequestTopic()
	t.Topic = topic
	p := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
	p.Partition, p.Replicas = number, target
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	resp := ask[*kmsg.AlterPartitionAssignmentsResponse](s, req)
	s.say("alter %s-%d to %v: %s, %s", topic, number, target, code(resp.ErrorCode), code(resp.Topics[0].Partitions[0].ErrorCode))
}

func (s *stage) elect(kind int8, topic string, number int32) {
	s.t.Helper()
	req := kmsg.NewPtrElectLeadersRequest()
	req.ElectionType = kind
	t := kmsg.NewElectLeadersRequestTopic()
	t.Topic, t.Partitions = topic, []int32{number}
	req.Topics = append(req.Topics, t)
	resp := ask[*kmsg.ElectLeadersResponse](s, req)
	s.say("elect %s-%d, type %d: %s, %s", topic, number, kind, code(resp.ErrorCode), code(resp.Topics[0].Partitions[0].ErrorCode))
}

type op struct {
	key   string
	kind  kmsg.IncrementalAlterConfigOp
	value string
}

// configure changes settings in one request, asked of a broker.
func (s *stage) configure(broker int, kind kmsg.ConfigResourceType, name string, ops ...op) {
	s.t.Helper()
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	r := kmsg.NewIncrementalAlterConfigsRequestResource()
	r.ResourceType, r.ResourceName = kind, name
	for _, o := range ops {
		c := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		c.Name, c.Op = o.key, o.kind
		if o.kind != kmsg.IncrementalAlterConfigOpDelete {
			c.Value = &o.value
		}
		r.Configs = append(r.Configs, c)
	}
	req.Resources = append(req.Resources, r)
	resp := askOf[*kmsg.IncrementalAlterConfigsResponse](s, broker, req)
	s.say("configure %v %q at %d, %d ops, first %v %s: %s", kind, name, broker, len(ops), ops[0].kind, ops[0].key, code(resp.Resources[0].ErrorCode))
}

// setting is one setting with its layers.
func (s *stage) setting(broker int, kind kmsg.ConfigResourceType, name, key string) string {
	s.t.Helper()
	req := kmsg.NewPtrDescribeConfigsRequest()
	req.IncludeSynonyms = true
	r := kmsg.NewDescribeConfigsRequestResource()
	r.ResourceType, r.ResourceName = kind, name
	req.Resources = append(req.Resources, r)
	resp := askOf[*kmsg.DescribeConfigsResponse](s, broker, req).Resources[0]
	line := fmt.Sprintf("%v %q %s at %d: %s", kind, name, key, broker, code(resp.ErrorCode))
	for _, c := range resp.Configs {
		if c.Name != key {
			continue
		}
		line += fmt.Sprintf(" %q from %v", *c.Value, c.Source)
		for _, syn := range c.ConfigSynonyms {
			line += fmt.Sprintf(", %s %q %v", syn.Name, *syn.Value, syn.Source)
		}
	}
	return line
}

// create makes a topic, by lists or (none) by count and factor.
func (s *stage) create(topic string, partitions int32, factor int16, lists ...[]int32) {
	s.t.Helper()
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = 10_000
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = topic, partitions, factor
	for i, list := range lists {
		a := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
		a.Partition, a.Replicas = int32(i), list
		t.ReplicaAssignment = append(t.ReplicaAssignment, a)
	}
	req.Topics = append(req.Topics, t)
	got := ask[*kmsg.CreateTopicsResponse](s, req).Topics[0]
	s.say("create %s: %s, %d partitions, factor %d", topic, code(got.ErrorCode), got.NumPartitions, got.ReplicationFactor)
}
