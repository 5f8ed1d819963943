package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"drain/internal/kafkatest"
)

// putBack gives every partition the replicas and the leader of a state, at full
// speed, so that the next run finds what the last one found.
func putBack(t *testing.T, c *kafkatest.Cluster, want kafkatest.State) {
	t.Helper()
	admin := kadm.NewClient(c.Client())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	lists, all := kadm.AlterPartitionAssignmentsReq{}, kadm.TopicsSet{}
	is := c.Describe()
	for name, topic := range want.Topics {
		for n, was := range topic.Partitions {
			all.Add(name, n)
			if !slices.Equal(is.Topics[name].Partitions[n].Replicas, was.Replicas) {
				lists.Assign(name, n, was.Replicas)
			}
		}
	}
	answers, err := admin.AlterPartitionAssignments(ctx, lists)
	if err := errors.Join(err, answers.Error()); err != nil {
		t.Fatal(err)
	}
	awaitState(ctx, t, c, want, func(is, was kafkatest.Partition) bool {
		return slices.Equal(is.Replicas, was.Replicas) && len(is.ISR) == len(was.Replicas) && len(is.Adding)+len(is.Removing) == 0
	})
	if _, err := admin.ElectLeaders(ctx, kadm.ElectPreferredReplica, all); err != nil {
		t.Fatal(err)
	}
	awaitState(ctx, t, c, want, func(is, was kafkatest.Partition) bool { return is.Leader == was.Replicas[0] })
}

// awaitState waits until every partition of a state is as it should be.
func awaitState(ctx context.Context, t *testing.T, c *kafkatest.Cluster, want kafkatest.State, ok func(is, was kafkatest.Partition) bool) {
	t.Helper()
	_, err := c.WaitState(ctx, "the state of before", func(s kafkatest.State) error {
		for name, topic := range want.Topics {
			for n, was := range topic.Partitions {
				if is := s.Topics[name].Partitions[n]; !ok(is, was) {
					return fmt.Errorf("%s-%d is %+v, was %+v", name, n, is, was)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
