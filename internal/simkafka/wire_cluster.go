package simkafka

import (
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

// describeCluster lists the live brokers, and on demand those that are
// registered and fenced (KIP-1073).
func (q *question) describeCluster(req *kmsg.DescribeClusterRequest, resp *kmsg.DescribeClusterResponse) {
	resp.ClusterID, resp.ControllerID, resp.EndpointType = q.id, q.controllerID(), 1
	if req.IncludeClusterAuthorizedOperations {
		resp.ClusterAuthorizedOperations = allRights.cluster
	}
	if req.EndpointType == 2 {
		resp.ErrorCode = kerr.MismatchedEndpointType.Code
		return
	}
	for _, b := range q.sortedBrokers() {
		if !b.listed() && !(req.IncludeFencedBrokers && b.state == plan.Fenced && !q.zk) {
			continue
		}
		at := kmsg.NewDescribeClusterResponseBroker()
		at.NodeID, at.Host, at.Port, at.Rack, at.IsFenced = b.id, b.host, b.port, rackOf(b), b.state == plan.Fenced
		resp.Brokers = append(resp.Brokers, at)
	}
}

func refuseDescribeCluster(_ *kmsg.DescribeClusterRequest, resp *kmsg.DescribeClusterResponse, code int16) {
	resp.ErrorCode = code
}

// unregisterBroker forgets a broker, even one that runs: that one is fenced for
// good, until it is started again.
func (q *question) unregisterBroker(req *kmsg.UnregisterBrokerRequest, resp *kmsg.UnregisterBrokerResponse) {
	if !q.registered(req.BrokerID) {
		resp.ErrorCode, resp.ErrorMessage = refuse(kerr.BrokerIDNotRegistered, "Broker ID %d is not currently registered", req.BrokerID).parts()
		return
	}
	b := q.brokers[req.BrokerID]
	b.state = plan.Down
	q.control.left(b)
	q.processChanged(b)
}

func refuseUnregisterBroker(_ *kmsg.UnregisterBrokerRequest, resp *kmsg.UnregisterBrokerResponse, code int16) {
	resp.ErrorCode = code
}

// listConfigResources with type BROKER is a list of all registered brokers
// (KIP-1142); version 0 asks for client metrics, of which there are none.
func (q *question) listConfigResources(req *kmsg.ListConfigResourcesRequest, resp *kmsg.ListConfigResourcesResponse) {
	if req.Version < 1 {
		return
	}
	wanted := map[int8]bool{}
	for _, kind := range req.ResourceTypes {
		wanted[kind] = true
	}
	add := func(kind kmsg.ConfigResourceType, name string) {
		if len(wanted) == 0 || wanted[int8(kind)] {
			r := kmsg.NewListConfigResourcesResponseConfigResource()
			r.Type, r.Name = int8(kind), name
			resp.ConfigResources = append(resp.ConfigResources, r)
		}
	}
	for _, b := range q.sortedBrokers() {
		if q.registered(b.id) {
			add(kmsg.ConfigResourceTypeBroker, strconv.Itoa(int(b.id)))
		}
	}
	for _, t := range q.sortedTopics() {
		if !t.hidden {
			add(kmsg.ConfigResourceTypeTopic, t.name)
		}
	}
}

func refuseListConfigResources(_ *kmsg.ListConfigResourcesRequest, resp *kmsg.ListConfigResourcesResponse, code int16) {
	resp.ErrorCode = code
}
