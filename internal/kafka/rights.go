package kafka

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// operations is a set of operations on a resource, one bit each by Kafka's code
// of the operation (AclOperation). An operation that another one implies is in
// the set as well. The zero value is what Kafka does not tell.
type operations int32

// The operations that a drain needs beside those of looking.
const (
	alter        operations = 1 << 7
	alterConfigs operations = 1 << 11
)

// unknownOperations is what Kafka says where it does not say.
const unknownOperations = -1 << 31

func operationsOf(bits int32) operations {
	if bits == unknownOperations {
		return 0
	}
	return operations(bits)
}

// lacks says that Kafka tells what is in the set, and that one is not.
func (o operations) lacks(one operations) bool { return o != 0 && o&one == 0 }

// rights is what this login may do. Topics that it may not describe are not in
// it; a snapshot names those that it can prove.
type rights struct {
	cluster operations
	topics  map[string]operations
}

// readRights notes what the login lacks that a drain needs. Where Kafka does not
// tell what the login may do, nothing is said: the requests themselves will.
func (p *picture) readRights(ctx context.Context) error {
	if !p.scope.Rights {
		return nil
	}
	may, err := p.client.rights(ctx, p.via)
	if err != nil {
		return fmt.Errorf("rights: %w", err)
	}
	p.noteRights(may)
	return nil
}

// rights asks a broker what this login may do. Without an authorizer that is
// everything.
func (c *Client) rights(ctx context.Context, via int32) (rights, error) {
	req := metadataOf(nil)
	req.IncludeClusterAuthorizedOperations = true // up to v10; then it is DescribeCluster's
	req.IncludeTopicAuthorizedOperations = true
	answer, err := c.askBroker(ctx, via, req)
	if err != nil {
		return rights{}, err
	}
	meta := answer.(*kmsg.MetadataResponse)
	may := rights{cluster: operationsOf(meta.AuthorizedOperations), topics: map[string]operations{}}
	for _, topic := range meta.Topics {
		if topic.Topic != nil && topic.ErrorCode == 0 {
			may.topics[*topic.Topic] = operationsOf(topic.AuthorizedOperations)
		}
	}
	if meta.Version > 10 {
		may.cluster, err = c.clusterOperations(ctx, via)
	}
	return may, err
}

func (c *Client) clusterOperations(ctx context.Context, via int32) (operations, error) {
	req := kmsg.NewPtrDescribeClusterRequest()
	req.IncludeClusterAuthorizedOperations = true
	answer, err := c.askBroker(ctx, via, req)
	if err != nil {
		return 0, err
	}
	resp := answer.(*kmsg.DescribeClusterResponse)
	return operationsOf(resp.ClusterAuthorizedOperations), fault(resp.ErrorCode, resp.ErrorMessage)
}

// noteRights names what is missing, of topics those that a drained broker holds.
func (p *picture) noteRights(may rights) {
	if may.cluster.lacks(alter) {
		p.noteMissing("ALTER on the cluster, to move replicas and elect leaders")
	}
	if may.cluster.lacks(alterConfigs) {
		p.noteMissing("ALTER_CONFIGS on the cluster, to throttle and to cordon brokers")
	}
	var without []string
	for _, name := range slices.Sorted(maps.Keys(p.topics)) {
		if may.topics[name].lacks(alterConfigs) && slices.ContainsFunc(p.topics[name].Partitions, p.onDrained) {
			without = append(without, name)
		}
	}
	if n := len(without); n > 0 {
		shown := strings.Join(without[:min(n, 3)], ", ")
		p.noteMissing(fmt.Sprintf("ALTER_CONFIGS on %s (%s), to throttle their moves", plan.Count(n, "topic", "topics"), shown))
	}
}

func (p *picture) noteMissing(right string) {
	p.note(plan.Block, "missing-rights", "", -1, "the login lacks "+right, "grant it; the README lists the rights that a run needs")
}
