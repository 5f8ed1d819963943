package kafka_test

import (
	"fmt"
	"maps"
	"slices"

	"drain/reassign"
)

func (r realCluster) settingsRoundTrip() {
	before := r.Describe()
	broker, topic := reassign.OfBroker(2), reassign.OfTopic("pay")
	r.alter(
		reassign.Change{Resource: broker, Key: reassign.LeaderRate, Value: "1234567"},
		reassign.Change{Resource: topic, Key: reassign.LeaderList, Op: reassign.Append, Value: "0:1,0:2"},
		reassign.Change{Resource: topic, Key: reassign.LeaderList, Op: reassign.Subtract, Value: "0:1"},
		reassign.Change{Resource: topic, Key: reassign.FollowerList, Op: reassign.Append, Value: "0:4"},
		reassign.Change{Resource: topic, Key: reassign.FollowerList, Op: reassign.Subtract, Value: "0:4"},
	)
	want := map[string]string{reassign.LeaderRate: "1234567", reassign.LeaderList: "0:2", reassign.FollowerList: ""}
	r.soon("read back", func() error {
		got := map[string]string{}
		configs, err := r.c.Configs(r.T.Context(), []reassign.Resource{broker, topic})
		for _, config := range configs {
			for _, e := range config.Entries {
				if _, ok := want[e.Key]; ok && (e.Layer == reassign.DynamicBroker || e.Layer == reassign.DynamicTopic) {
					got[e.Key] = e.Value
				}
			}
		}
		// The last entry taken off leaves an empty value, not none.
		if err != nil || !maps.Equal(got, want) {
			return fmt.Errorf("got %v and %w, want %v", got, err, want)
		}
		return nil
	})
	refused, err := r.c.AlterConfigs(r.T.Context(), []reassign.Change{
		{Resource: topic, Key: reassign.LeaderList, Op: reassign.Append, Value: "no pair"},
		{Resource: reassign.OfTopic("nobody"), Key: reassign.LeaderList, Op: reassign.Append, Value: "0:1"},
	})
	invalid := []string{"INVALID_CONFIG", "INVALID_REQUEST"} // the latter with ZooKeeper
	if err != nil || len(refused) != 2 || refused[0].Kafka != "UNKNOWN_TOPIC_OR_PARTITION" || !slices.Contains(invalid, refused[1].Kafka) {
		r.Errorf("refused: got %v and %v, want an unknown topic and an invalid value", refused, err)
	}
	r.alter(
		reassign.Change{Resource: broker, Key: reassign.LeaderRate, Op: reassign.Delete},
		reassign.Change{Resource: topic, Key: reassign.LeaderList, Op: reassign.Delete},
		reassign.Change{Resource: topic, Key: reassign.FollowerList, Op: reassign.Delete},
	)
	r.soon("given back", func() error {
		if diff := before.Diff(r.Describe()); len(diff) > 0 {
			return fmt.Errorf("left: %v", diff)
		}
		return nil
	})
}

func (r realCluster) alter(changes ...reassign.Change) {
	r.T.Helper()
	if refused, err := r.c.AlterConfigs(r.T.Context(), changes); err != nil || refused != nil {
		r.Fatalf("alter configs: refused %v, %v", refused, err)
	}
}

func (r realCluster) cordoned() {
	cordon := reassign.Change{Resource: reassign.OfBroker(3), Key: reassign.CordonedDirs, Value: "*"}
	for _, want := range []bool{true, false} {
		if !want {
			cordon.Op = reassign.Delete
		}
		r.alter(cordon)
		r.soon(fmt.Sprintf("cordoned %v", want), func() error {
			if b, _ := r.broker(3); b.Cordoned != want {
				return fmt.Errorf("cordoned %v", b.Cordoned)
			}
			return nil
		})
	}
}
