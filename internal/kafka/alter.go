package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
	"drain/reassign"
)

// AlterConfigs changes settings (IncrementalAlterConfigs): those of a resource
// in one request, to the broker named for a broker and to the controller's
// broker in ZooKeeper mode, where appending is not atomic across brokers. A key
// that is changed twice goes in successive requests, in the order given. What
// was refused is returned, sorted by resource. An err names the requests that
// got no answer; the others were made all the same.
func (c *Client) AlterConfigs(ctx context.Context, changes []reassign.Change) (refused []reassign.ChangeError, err error) {
	var errs []error
	for _, round := range rounds(changes) {
		round, err := c.withoutAbsent(ctx, round)
		if err != nil {
			return refused, errors.Join(append(errs, err)...)
		}
		parts := split(round, func(ch reassign.Change) reassign.Resource { return ch.Resource })
		answers := make([][]reassign.ChangeError, len(parts))
		faults := make([]error, len(parts))
		each(make([]int32, len(parts)), func(i int, _ int32) {
			answers[i], faults[i] = c.alter(ctx, parts[i])
		})
		refused = append(refused, slices.Concat(answers...)...)
		errs = append(errs, faults...)
	}
	slices.SortStableFunc(refused, func(a, b reassign.ChangeError) int { return a.Resource.Compare(b.Resource) })
	return refused, errors.Join(errs...)
}

// rounds sorts changes by resource and deals them out so that no round holds a
// key of a resource twice, which Kafka refuses (ConfigAdminManager.preprocess).
func rounds(changes []reassign.Change) [][]reassign.Change {
	type key struct {
		reassign.Resource
		key string
	}
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(a, b reassign.Change) int { return a.Resource.Compare(b.Resource) })
	var out [][]reassign.Change
	times := map[key]int{}
	for _, change := range sorted {
		k := key{change.Resource, change.Key}
		n := times[k]
		times[k]++
		if n == len(out) {
			out = append(out, nil)
		}
		out[n] = append(out[n], change)
	}
	return out
}

func (c *Client) alter(ctx context.Context, part routed[reassign.Change]) ([]reassign.ChangeError, error) {
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	of := map[reassign.Resource][]reassign.Change{}
	for _, change := range part.items {
		if len(of[change.Resource]) == 0 {
			resource := kmsg.NewIncrementalAlterConfigsRequestResource()
			resource.ResourceType, resource.ResourceName = typeOf(change.Kind), change.Name
			req.Resources = append(req.Resources, resource)
		}
		of[change.Resource] = append(of[change.Resource], change)
		last := &req.Resources[len(req.Resources)-1]
		last.Configs = append(last.Configs, configOf(change))
	}
	broker, err := c.writer(ctx, part.broker)
	if err != nil {
		return nil, fmt.Errorf("alter configs: %w", err)
	}
	answer, err := c.askBroker(ctx, broker, req)
	if err != nil {
		first := part.items[0].Resource
		return nil, fmt.Errorf("alter configs of %s %s: %w", first.Kind, first.Name, err)
	}
	var refused []reassign.ChangeError
	for _, res := range answer.(*kmsg.IncrementalAlterConfigsResponse).Resources {
		if res.ErrorCode == 0 {
			continue
		}
		for _, change := range of[resourceOf(res.ResourceType, res.ResourceName)] {
			refused = append(refused, reassign.ChangeError{
				Change: change, Code: res.ErrorCode, Kafka: name(res.ErrorCode), Message: words(res.ErrorMessage),
			})
		}
	}
	return refused, nil
}

var ops = map[reassign.Op]kmsg.IncrementalAlterConfigOp{
	reassign.Set:      kmsg.IncrementalAlterConfigOpSet,
	reassign.Delete:   kmsg.IncrementalAlterConfigOpDelete,
	reassign.Append:   kmsg.IncrementalAlterConfigOpAppend,
	reassign.Subtract: kmsg.IncrementalAlterConfigOpSubtract,
}

func configOf(change reassign.Change) kmsg.IncrementalAlterConfigsRequestResourceConfig {
	config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	config.Name, config.Op = change.Key, ops[change.Op]
	if change.Op != reassign.Delete {
		config.Value = &change.Value
	}
	return config
}

// writer is the broker that a change is sent to.
func (c *Client) writer(ctx context.Context, broker int32) (int32, error) {
	if broker != anyBroker || c.mode == plan.KRaft {
		return broker, nil
	}
	meta, err := c.metadata(ctx, anyBroker, []string{})
	if err != nil {
		return 0, err
	}
	return meta.ControllerID, nil
}
