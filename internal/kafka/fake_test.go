package kafka_test

import (
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"drain/internal/kafka"
	"drain/plan"
)

// fake is three brokers, 0 to 2, that answer from plain data. A test changes
// the data, or answers a request itself, to see how a fault is translated.
type fake struct {
	t *testing.T
	*kfake.Cluster

	mu       sync.Mutex
	release  *kversion.Versions
	features map[string]int16
	topics   []kmsg.MetadataResponseTopic
	hidden   []string // topics that exist and may not be described
	moves    []kmsg.ListPartitionReassignmentsResponseTopic
	dirs     map[int32][]kmsg.DescribeLogDirsResponseDir
	shown    map[int32]int64 // the last record of metadata that a broker shows; the controller's is 9
	own      map[kmsg.Key]func(node int32, req kmsg.Request) (kmsg.Response, error)
	asked    []asked
}

// asked is a request that arrived.
type asked struct {
	node int32
	req  kmsg.Request
}

func newFake(t *testing.T, opts ...kfake.Opt) *fake {
	t.Helper()
	cluster, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(3)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	f := &fake{
		t: t, Cluster: cluster, release: kversion.V4_3_0(),
		features: map[string]int16{"metadata.version": 30},
		dirs:     map[int32][]kmsg.DescribeLogDirsResponseDir{},
		own:      map[kmsg.Key]func(int32, kmsg.Request) (kmsg.Response, error){},
	}
	for node := range int32(3) {
		f.dirs[node] = []kmsg.DescribeLogDirsResponseDir{dir("/data", 1000+int64(node), 400)}
	}
	cluster.Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		return f.answer(cluster.CurrentNode(), req)
	})
	return f
}

// dial connects to all brokers of the fake.
func (f *fake) dial() *kafka.Client {
	f.t.Helper()
	c, err := kafka.Dial(f.t.Context(), kafka.Options{Bootstrap: f.ListenAddrs()})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(c.Close)
	return c
}

// on answers a key instead of the fake's data.
func (f *fake) on(key kmsg.Key, answer func(node int32, req kmsg.Request) (kmsg.Response, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.own[key] = answer
}

// requests are those of a key that arrived, in order.
func (f *fake) requests(key kmsg.Key) []asked {
	f.mu.Lock()
	defer f.mu.Unlock()
	var of []asked
	for _, a := range f.asked {
		if a.req.Key() == int16(key) {
			of = append(of, a)
		}
	}
	return of
}

func (f *fake) answer(node int32, req kmsg.Request) (kmsg.Response, error, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, asked{node, req})
	if own := f.own[kmsg.Key(req.Key())]; own != nil {
		resp, err := own(node, req)
		return resp, err, true
	}
	resp := req.ResponseKind()
	switch resp := resp.(type) {
	case *kmsg.ApiVersionsResponse:
		f.versions(node, resp)
	case *kmsg.MetadataResponse:
		f.metadata(req.(*kmsg.MetadataRequest), resp)
	case *kmsg.ListPartitionReassignmentsResponse:
		resp.Topics = f.moves
	case *kmsg.DescribeClusterResponse:
		f.cluster(resp)
	case *kmsg.DescribeQuorumResponse:
		f.quorum(resp)
	case *kmsg.DescribeLogDirsResponse:
		resp.Dirs = f.dirsOf(node, req.(*kmsg.DescribeLogDirsRequest))
	case *kmsg.DescribeConfigsResponse:
		describeConfigs(req.(*kmsg.DescribeConfigsRequest), resp, func(kmsg.ConfigResourceType, string) []kmsg.DescribeConfigsResponseResourceConfig { return nil })
	default:
		return nil, nil, false
	}
	return resp, nil, true
}

func (f *fake) versions(node int32, resp *kmsg.ApiVersionsResponse) {
	resp.FinalizedFeaturesEpoch = 9
	if shown, ok := f.shown[node]; ok {
		resp.FinalizedFeaturesEpoch = shown
	}
	f.release.EachMaxKeyVersion(func(key, version int16) {
		k := kmsg.NewApiVersionsResponseApiKey()
		k.ApiKey, k.MaxVersion = key, version
		resp.ApiKeys = append(resp.ApiKeys, k)
	})
	for name, level := range f.features {
		feature := kmsg.NewApiVersionsResponseFinalizedFeature()
		feature.Name, feature.MaxVersionLevel, feature.MinVersionLevel = name, level, level
		resp.FinalizedFeatures = append(resp.FinalizedFeatures, feature)
	}
}

func (f *fake) metadata(req *kmsg.MetadataRequest, resp *kmsg.MetadataResponse) {
	resp.ClusterID = kmsg.StringPtr("fake")
	resp.ControllerID = 1
	for node, address := range f.ListenAddrs() {
		b := kmsg.NewMetadataResponseBroker()
		b.NodeID, b.Rack = int32(node), kmsg.StringPtr("r"+strconv.Itoa(node))
		b.Host, b.Port = split(f.t, address)
		resp.Brokers = append(resp.Brokers, b)
	}
	if req.Topics == nil {
		resp.Topics = f.topics
		return
	}
	for _, want := range req.Topics {
		resp.Topics = append(resp.Topics, f.topic(*want.Topic))
	}
}

func (f *fake) topic(name string) kmsg.MetadataResponseTopic {
	for _, topic := range f.topics {
		if *topic.Topic == name {
			topic.Partitions = slices.Clone(topic.Partitions)
			return topic
		}
	}
	none := kmsg.NewMetadataResponseTopic()
	none.Topic, none.ErrorCode = &name, kerr.UnknownTopicOrPartition.Code
	if slices.Contains(f.hidden, name) {
		none.ErrorCode = kerr.TopicAuthorizationFailed.Code
	}
	return none
}

func (f *fake) cluster(resp *kmsg.DescribeClusterResponse) {
	fenced := kmsg.NewDescribeClusterResponseBroker()
	fenced.NodeID, fenced.Host, fenced.Port, fenced.IsFenced = 7, "kafka-7", 9092, true
	resp.Brokers = append(resp.Brokers, fenced)
}

func (f *fake) quorum(resp *kmsg.DescribeQuorumResponse) {
	part := kmsg.NewDescribeQuorumResponseTopicPartition()
	part.LeaderID, part.HighWatermark = 100, 8
	voter := kmsg.NewDescribeQuorumResponseTopicPartitionReplicaState()
	voter.ReplicaID, voter.LogEndOffset = 100, 10 // two records are not committed yet
	part.CurrentVoters = append(part.CurrentVoters, voter)
	topic := kmsg.NewDescribeQuorumResponseTopic()
	topic.Topic = "__cluster_metadata"
	topic.Partitions = append(topic.Partitions, part)
	resp.Topics = append(resp.Topics, topic)
}

func (f *fake) dirsOf(node int32, req *kmsg.DescribeLogDirsRequest) []kmsg.DescribeLogDirsResponseDir {
	dirs := slices.Clone(f.dirs[node])
	if req.Topics == nil {
		return dirs
	}
	for i := range dirs {
		dirs[i].Topics = only(dirs[i].Topics, req.Topics)
	}
	return dirs
}

func only(topics []kmsg.DescribeLogDirsResponseDirTopic, wanted []kmsg.DescribeLogDirsRequestTopic) []kmsg.DescribeLogDirsResponseDirTopic {
	var out []kmsg.DescribeLogDirsResponseDirTopic
	for _, topic := range topics {
		i := slices.IndexFunc(wanted, func(w kmsg.DescribeLogDirsRequestTopic) bool { return w.Topic == topic.Topic })
		if i < 0 {
			continue
		}
		topic.Partitions = slices.DeleteFunc(slices.Clone(topic.Partitions), func(p kmsg.DescribeLogDirsResponseDirTopicPartition) bool {
			return !slices.Contains(wanted[i].Partitions, p.Partition)
		})
		out = append(out, topic)
	}
	return out
}

// describeConfigs answers each resource with the settings given for it.
func describeConfigs(req *kmsg.DescribeConfigsRequest, resp *kmsg.DescribeConfigsResponse, of func(kmsg.ConfigResourceType, string) []kmsg.DescribeConfigsResponseResourceConfig) {
	for _, asked := range req.Resources {
		r := kmsg.NewDescribeConfigsResponseResource()
		r.ResourceType, r.ResourceName = asked.ResourceType, asked.ResourceName
		r.Configs = of(asked.ResourceType, asked.ResourceName)
		resp.Resources = append(resp.Resources, r)
	}
}

func topic(name string, partitions ...kmsg.MetadataResponseTopicPartition) kmsg.MetadataResponseTopic {
	topic := kmsg.NewMetadataResponseTopic()
	topic.Topic = &name
	for i := range partitions {
		partitions[i].Partition = int32(i)
	}
	topic.Partitions = partitions
	return topic
}

func partition(leader int32, replicas ...int32) kmsg.MetadataResponseTopicPartition {
	p := kmsg.NewMetadataResponseTopicPartition()
	p.Leader, p.Replicas, p.ISR = leader, replicas, replicas
	return p
}

// dir holds logs given as topic, number, size in turn.
func dir(path string, total, usable int64, logs ...kmsg.DescribeLogDirsResponseDirTopic) kmsg.DescribeLogDirsResponseDir {
	d := kmsg.NewDescribeLogDirsResponseDir()
	d.Dir, d.TotalBytes, d.UsableBytes, d.Topics = path, total, usable, logs
	return d
}

// logs of a topic, with the sizes of its partitions from 0 on.
func logs(topic string, sizes ...int64) kmsg.DescribeLogDirsResponseDirTopic {
	t := kmsg.NewDescribeLogDirsResponseDirTopic()
	t.Topic = topic
	for i, size := range sizes {
		p := kmsg.NewDescribeLogDirsResponseDirTopicPartition()
		p.Partition, p.Size = int32(i), size
		t.Partitions = append(t.Partitions, p)
	}
	return t
}

func move(topic string, partition int32, replicas, adding, removing []int32) kmsg.ListPartitionReassignmentsResponseTopic {
	t := kmsg.NewListPartitionReassignmentsResponseTopic()
	t.Topic = topic
	p := kmsg.NewListPartitionReassignmentsResponseTopicPartition()
	p.Partition, p.Replicas, p.AddingReplicas, p.RemovingReplicas = partition, replicas, adding, removing
	t.Partitions = append(t.Partitions, p)
	return t
}

func split(t *testing.T, address string) (string, int32) {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseInt(port, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return host, int32(n)
}

func tp(topic string, partition int32) plan.TopicPartition {
	return plan.TopicPartition{Topic: topic, Partition: partition}
}
