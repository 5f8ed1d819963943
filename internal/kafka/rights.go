package kafka

import (
	"cmp"
	"context"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Operations is a set of operations on a resource, one bit each by Kafka's code
// of the operation (AclOperation). An operation that another one implies is in
// the set as well. The zero value allows nothing.
type Operations int32

// The operations that a drain needs.
const (
	Alter           Operations = 1 << 7
	Describe        Operations = 1 << 8
	DescribeConfigs Operations = 1 << 10
	AlterConfigs    Operations = 1 << 11
)

// unknownOperations is what Kafka says where it does not say.
const unknownOperations = -1 << 31

// Has says that all of the operations are in the set.
func (o Operations) Has(all Operations) bool { return o&all == all }

// Rights is what this login may do. Topics that it may not describe are not in
// it; a snapshot names those that it can prove.
type Rights struct {
	Cluster Operations // none if the login may not describe the cluster
	Topics  []TopicRights
}

// TopicRights is what this login may do with a topic.
type TopicRights struct {
	Topic string
	Operations
}

// Rights asks Kafka what this login may do, with the cluster and with each
// topic, sorted. Without an authorizer that is everything.
func (c *Client) Rights(ctx context.Context) (Rights, error) {
	req := metadataOf(nil)
	req.IncludeClusterAuthorizedOperations = true // up to v10; then it is DescribeCluster's
	req.IncludeTopicAuthorizedOperations = true
	answer, err := c.ask(ctx, req)
	if err != nil {
		return Rights{}, err
	}
	meta := answer.(*kmsg.MetadataResponse)
	var r Rights
	for _, topic := range meta.Topics {
		if topic.Topic != nil && topic.ErrorCode == 0 {
			r.Topics = append(r.Topics, TopicRights{*topic.Topic, operations(topic.AuthorizedOperations)})
		}
	}
	slices.SortFunc(r.Topics, func(a, b TopicRights) int { return cmp.Compare(a.Topic, b.Topic) })
	if meta.Version <= 10 {
		r.Cluster = operations(meta.AuthorizedOperations)
		return r, nil
	}
	r.Cluster, err = c.clusterOperations(ctx)
	return r, err
}

func (c *Client) clusterOperations(ctx context.Context) (Operations, error) {
	req := kmsg.NewPtrDescribeClusterRequest()
	req.IncludeClusterAuthorizedOperations = true
	answer, err := c.ask(ctx, req)
	if err != nil {
		return 0, err
	}
	resp := answer.(*kmsg.DescribeClusterResponse)
	return operations(resp.ClusterAuthorizedOperations), fault(resp.ErrorCode, resp.ErrorMessage)
}

func operations(bits int32) Operations {
	if bits == unknownOperations {
		return 0
	}
	return Operations(bits)
}
