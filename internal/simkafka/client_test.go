package simkafka

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// rig is a simulated cluster in a bubble of virtual time, with a real client.
type rig struct {
	*Cluster
	t   *testing.T
	cl  *kgo.Client
	adm *kadm.Client
}

// simulated runs f on the cluster in virtual time.
func simulated(t *testing.T, s Spec, f func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c, err := Start(s, On(new(kfake.VirtualNetwork)))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r := &rig{Cluster: c, t: t}
		r.cl = r.client()
		defer r.cl.Close()
		r.adm = kadm.NewClient(r.cl)
		f(t, r)
	})
}

func (r *rig) client(opts ...kgo.Opt) *kgo.Client {
	r.t.Helper()
	opts = append([]kgo.Opt{kgo.SeedBrokers(r.Bootstrap()...), kgo.Dialer(r.Dial), kgo.RetryTimeout(5 * time.Second)}, opts...)
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		r.t.Fatal(err)
	}
	return cl
}

// ask sends a request to any broker and returns the typed answer.
func ask[A kmsg.Response](r *rig, req kmsg.Request) A {
	r.t.Helper()
	resp, err := r.cl.Request(r.t.Context(), req)
	if err != nil {
		r.t.Fatalf("%s: %v", kmsg.NameForKey(req.Key()), err)
	}
	return resp.(A)
}

// askOf is ask, of one broker.
func askOf[A kmsg.Response](r *rig, broker int32, req kmsg.Request) A {
	r.t.Helper()
	resp, err := r.cl.Broker(int(broker)).RetriableRequest(r.t.Context(), req)
	if err != nil {
		r.t.Fatalf("%s at broker %d: %v", kmsg.NameForKey(req.Key()), broker, err)
	}
	return resp.(A)
}

func (r *rig) wait(d time.Duration) {
	r.t.Helper()
	select {
	case <-time.After(d):
	case <-r.t.Context().Done():
		r.t.Fatal(context.Cause(r.t.Context()))
	}
}

// alter submits one target (nil cancels) and returns the error code of the
// partition.
func (r *rig) alter(topic string, partition int32, target []int32) int16 {
	r.t.Helper()
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.TimeoutMillis = 5000
	t := kmsg.NewAlterPartitionAssignmentsRequestTopic()
	t.Topic = topic
	p := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
	p.Partition, p.Replicas = partition, target
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	resp := ask[*kmsg.AlterPartitionAssignmentsResponse](r, req)
	if resp.ErrorCode != 0 {
		return resp.ErrorCode
	}
	return resp.Topics[0].Partitions[0].ErrorCode
}

// at is one partition as the cluster stands.
func (r *rig) at(topic string, partition int) Partition {
	r.t.Helper()
	for _, t := range r.State().Topics {
		if t.Name == topic {
			return t.Partitions[partition]
		}
	}
	r.t.Fatalf("no topic %s", topic)
	return Partition{}
}

// brokers are alive brokers with these numbers and nothing special.
func brokers(ids ...int32) []Broker {
	var all []Broker
	for _, id := range ids {
		all = append(all, Broker{ID: id})
	}
	return all
}
