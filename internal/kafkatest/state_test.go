package kafkatest_test

import (
	"slices"
	"testing"

	"drain/internal/kafkatest"
)

// twoTopics is a small state to change.
func twoTopics() kafkatest.State {
	return kafkatest.State{
		Brokers: []int32{1, 2},
		Topics: map[string]kafkatest.Topic{
			"log": {Partitions: map[int32]kafkatest.Partition{0: {Leader: 1, Replicas: []int32{1}, ISR: []int32{1}}}},
			"pay": {Partitions: map[int32]kafkatest.Partition{
				2:  {Leader: 2, Replicas: []int32{2, 1}, ISR: []int32{1, 2}},
				10: {Leader: -1, Replicas: []int32{2, 1}, ISR: []int32{2}},
			}},
		},
		Configs: map[string]map[string]string{
			"broker 1":  {"leader.replication.throttled.rate": "5"},
			"broker 11": {"log.cleaner.threads": "2"},
			"topic pay": {"min.insync.replicas": "2"},
		},
	}
}

func TestDiffNamesEveryChange(t *testing.T) {
	t.Parallel()
	after := twoTopics()
	after.Topics["log"] = kafkatest.Topic{Partitions: map[int32]kafkatest.Partition{
		0: {Leader: 2, Replicas: []int32{2}, ISR: []int32{2}, Adding: []int32{2}},
	}}
	after.Configs["topic pay"] = map[string]string{"follower.replication.throttled.replicas": ""}
	want := []string{
		"log-0 adding: [] -> [2]", "log-0 isr: [1] -> [2]", "log-0 leader: 1 -> 2", "log-0 replicas: [1] -> [2]",
		`topic pay follower.replication.throttled.replicas: new: ""`,
		`topic pay min.insync.replicas: "2" -> gone`,
	}
	if got := twoTopics().Diff(after); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if twoTopics().Equal(after) || !twoTopics().Equal(twoTopics()) {
		t.Error("Equal does not follow Diff")
	}
}

func TestDiffDoesNotGuessTheSettingsOfASilentBroker(t *testing.T) {
	t.Parallel()
	after := twoTopics()
	after.Silent = []int32{1}
	after.Configs = map[string]map[string]string{"topic pay": {"min.insync.replicas": "2"}}
	want := []string{`broker 11 log.cleaner.threads: "2" -> gone`}
	if got := twoTopics().Diff(after); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPartitionsAreListedByTopicAndNumber(t *testing.T) {
	t.Parallel()
	s := twoTopics()
	for name, test := range map[string]struct{ got, want []string }{
		"on broker 1":      {s.OnBroker(1), []string{"log-0", "pay-2", "pay-10"}},
		"leaderless":       {s.Leaderless(), []string{"pay-10"}},
		"under-replicated": {s.UnderReplicated(), []string{"pay-10"}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%s: got %q, want %q", name, test.got, test.want)
		}
	}
}
