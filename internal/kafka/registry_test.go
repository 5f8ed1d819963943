package kafka_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"drain/internal/kafka"
	"drain/plan"
)

func TestUnregister(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on(kmsg.UnregisterBroker, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.UnregisterBrokerResponse)
		switch req.(*kmsg.UnregisterBrokerRequest).BrokerID {
		case 8:
			resp.ErrorCode = kerr.BrokerIDNotRegistered.Code
		case 9:
			resp.ErrorCode = kerr.ClusterAuthorizationFailed.Code
		}
		return resp, nil
	})
	c := f.dial()
	if err := c.Unregister(t.Context(), 7); err != nil {
		t.Errorf("broker 7: %v", err)
	}
	if err := c.Unregister(t.Context(), 8); err != nil {
		t.Errorf("broker 8, which is not registered: %v", err)
	}
	if err := c.Unregister(t.Context(), 9); !errors.Is(err, kafka.ErrAuthorization) {
		t.Errorf("broker 9: got %v, want %v", err, kafka.ErrAuthorization)
	}
	old := newFake(t)
	old.release = kversion.V2_8_0()
	if err := old.dial().Unregister(t.Context(), 7); !errors.Is(err, kafka.ErrUnsupported) {
		t.Errorf("with ZooKeeper: got %v, want %v", err, kafka.ErrUnsupported)
	}
}

func TestTheSessionTimeoutIsTheLongestThatABrokerTells(t *testing.T) {
	t.Parallel()
	answer := map[int32]string{0: "9000", 1: "18000", 2: "not told"}
	for name, test := range map[string]struct {
		release *kversion.Versions
		key     string
	}{
		"KRaft":     {kversion.V4_3_0(), "broker.session.timeout.ms"},
		"ZooKeeper": {kversion.V3_9_0(), "zookeeper.session.timeout.ms"},
	} {
		f := newFake(t)
		f.release = test.release
		if name == "ZooKeeper" {
			f.release.SetMaxKeyVersion(int16(kmsg.DescribeQuorum), -1)
		}
		f.on(kmsg.DescribeConfigs, func(node int32, req kmsg.Request) (kmsg.Response, error) {
			resp := req.ResponseKind().(*kmsg.DescribeConfigsResponse)
			describeConfigs(req.(*kmsg.DescribeConfigsRequest), resp, func(kmsg.ConfigResourceType, string) []kmsg.DescribeConfigsResponseResourceConfig {
				return []kmsg.DescribeConfigsResponseResourceConfig{setting(test.key, kmsg.ConfigSourceStaticBrokerConfig, answer[node])}
			})
			return resp, nil
		})
		if got, err := f.dial().SessionTimeout(t.Context()); got != 18*time.Second || err != nil {
			t.Errorf("%s: got %v and %v, want 18s", name, got, err)
		}
	}
}

func TestLoadingNamesCoordinatorsThatDoNotAnswerYet(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	four := []kmsg.MetadataResponseTopicPartition{partition(0, 0), partition(1, 1), partition(-1, 2), partition(0, 0)}
	f.topics = []kmsg.MetadataResponseTopic{topic("__consumer_offsets", four...), topic("__transaction_state", partition(2, 2)), topic("pay", partition(1, 1))}
	four[3].Partition = 7 // beyond a gap: the search for a name that falls there never ended
	f.on(kmsg.FindCoordinator, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.FindCoordinatorResponse)
		resp.Coordinators = append(resp.Coordinators, kmsg.NewFindCoordinatorResponseCoordinator())
		return resp, nil
	})
	codes := map[int32]int16{0: kerr.CoordinatorLoadInProgress.Code, 1: kerr.GroupAuthorizationFailed.Code}
	f.on(kmsg.DescribeGroups, func(node int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.DescribeGroupsResponse)
		group := kmsg.NewDescribeGroupsResponseGroup()
		group.ErrorCode = codes[node]
		resp.Groups = append(resp.Groups, group)
		return resp, nil
	})
	f.on(kmsg.DescribeTransactions, func(_ int32, req kmsg.Request) (kmsg.Response, error) {
		resp := req.ResponseKind().(*kmsg.DescribeTransactionsResponse)
		state := kmsg.NewDescribeTransactionsResponseTransactionState()
		state.ErrorCode = kerr.TransactionalIDNotFound.Code
		resp.TransactionStates = append(resp.TransactionStates, state)
		return resp, nil
	})
	got, err := f.dial().Loading(t.Context(), []plan.TopicPartition{
		tp("__transaction_state", 0), tp("__consumer_offsets", 2), tp("__consumer_offsets", 1), tp("__consumer_offsets", 0),
		tp("__consumer_offsets", 7), tp("gone", 0), tp("pay", 0),
	})
	if want := []plan.TopicPartition{tp("__consumer_offsets", 0), tp("__consumer_offsets", 2)}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v and %v, want %v", got, err, want)
	}
}
