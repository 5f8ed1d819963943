package simkafka

import (
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// named is a resource as requests name it.
type named struct {
	kind kmsg.ConfigResourceType
	name string
}

func (q *question) incrementalAlterConfigs(req *kmsg.IncrementalAlterConfigsRequest, resp *kmsg.IncrementalAlterConfigsResponse) {
	times := map[named]int{}
	for _, asked := range req.Resources {
		times[named{asked.ResourceType, asked.ResourceName}]++
	}
	for _, asked := range req.Resources {
		out := kmsg.NewIncrementalAlterConfigsResponseResource()
		out.ResourceType, out.ResourceName = asked.ResourceType, asked.ResourceName
		no := refuse(kerr.InvalidRequest, "Each resource must appear at most once.")
		if times[named{asked.ResourceType, asked.ResourceName}] == 1 {
			no = q.alterResource(asked, req.ValidateOnly)
		}
		out.ErrorCode, out.ErrorMessage = no.parts()
		resp.Resources = append(resp.Resources, out)
	}
}

func (q *question) alterResource(asked kmsg.IncrementalAlterConfigsRequestResource, validateOnly bool) *refusal {
	if no := q.spoiltResource(asked.ResourceName); no != nil {
		return no
	}
	r, no := q.resource(asked)
	if no != nil {
		return no
	}
	var ops []configOp
	for _, c := range asked.Configs {
		ops = append(ops, configOp{c.Name, c.Op, c.Value})
	}
	return q.alterConfigs(r, ops, validateOnly)
}

// resource finds what the settings belong to. Those of a broker are changed at
// that broker alone, so never at one that is down.
func (q *question) resource(asked kmsg.IncrementalAlterConfigsRequestResource) (resource, *refusal) {
	switch asked.ResourceType {
	case kmsg.ConfigResourceTypeTopic:
		t, no := q.visible(asked.ResourceName)
		return resource{topic: t}, no
	case kmsg.ConfigResourceTypeBroker:
		if asked.ResourceName == "" {
			return resource{}, nil
		}
		return resource{broker: q.at}, q.thisBroker(asked.ResourceName)
	}
	return resource{}, refuse(kerr.InvalidRequest, "Unsupported resource type: %v", asked.ResourceType)
}

func refuseIncrementalAlterConfigs(req *kmsg.IncrementalAlterConfigsRequest, resp *kmsg.IncrementalAlterConfigsResponse, code int16) {
	for _, asked := range req.Resources {
		out := kmsg.NewIncrementalAlterConfigsResponseResource()
		out.ResourceType, out.ResourceName, out.ErrorCode = asked.ResourceType, asked.ResourceName, code
		resp.Resources = append(resp.Resources, out)
	}
}
