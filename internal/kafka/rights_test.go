package kafka_test

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"drain/plan"
)

func TestMissingRightsAreNotedBeforeTheFirstChange(t *testing.T) {
	t.Parallel()
	const untold, describe = -1 << 31, 1<<8 | 1<<10
	const all = describe | 1<<7 | 1<<11 // ALTER, ALTER_CONFIGS
	for _, tc := range []struct {
		name              string
		cluster, log, pay int32
		want              []string
	}{
		{"everything", all, all, all, nil},
		{"nobody tells", untold, untold, untold, nil},
		{"no change of the cluster", describe, all, all, []string{
			"the login lacks ALTER on the cluster, to move replicas and elect leaders",
			"the login lacks ALTER_CONFIGS on the cluster, to throttle and to cordon brokers",
		}},
		{"no settings of a topic that moves", all, describe, all, []string{
			"the login lacks ALTER_CONFIGS on 1 topic (log), to throttle their moves",
		}},
		{"no settings of any", all, describe, describe, []string{
			"the login lacks ALTER_CONFIGS on 2 topics (log, pay), to throttle their moves",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.topics = []kmsg.MetadataResponseTopic{topic("pay", partition(0, 0, 1)), topic("log", partition(1, 1, 0)), topic("elsewhere", partition(2, 2))}
			for i, bits := range []int32{tc.pay, tc.log, describe} {
				f.topics[i].AuthorizedOperations = bits
			}
			f.on(kmsg.DescribeCluster, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
				resp := req.ResponseKind().(*kmsg.DescribeClusterResponse)
				if req.(*kmsg.DescribeClusterRequest).IncludeClusterAuthorizedOperations {
					resp.ClusterAuthorizedOperations = tc.cluster
				}
				return resp, nil
			})
			if got := f.missing(plan.Scope{Brokers: []int32{0}, Via: plan.AnyBroker, Rights: true}); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if got := f.missing(plan.Scope{Brokers: []int32{0}, Via: plan.AnyBroker}); got != nil {
				t.Errorf("got %q of a picture that asks for no rights", got)
			}
		})
	}
}

// missing are the rights that a picture names, each a block.
func (f *fake) missing(s plan.Scope) []string {
	f.t.Helper()
	cluster, err := f.dial().Snapshot(f.t.Context(), s)
	if err != nil {
		f.t.Fatal(err)
	}
	return missingRights(f.t, cluster)
}

func missingRights(t *testing.T, c plan.Cluster) []string {
	t.Helper()
	var messages []string
	for _, f := range c.Notes {
		if f.Risk != "missing-rights" {
			continue
		}
		if f.Level != plan.Block {
			t.Errorf("%q is no block", f.Message)
		}
		messages = append(messages, f.Message)
	}
	return messages
}
