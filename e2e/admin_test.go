package e2e_test

import (
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"drain/internal/kafkatest"
)

// uncordon deletes the cordon of a broker, as an operator would.
func uncordon(t *testing.T, c *kafkatest.Cluster, id int32) {
	t.Helper()
	alterBroker(t, c, id, kadm.AlterConfig{Op: kadm.DeleteConfig, Name: "cordoned.log.dirs"})
}

func alterBroker(t *testing.T, c *kafkatest.Cluster, id int32, changes ...kadm.AlterConfig) {
	t.Helper()
	var ids []int32
	if id >= 0 {
		ids = append(ids, id)
	}
	answers, err := kadm.NewClient(c.Client()).AlterBrokerConfigs(t.Context(), changes, ids...)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if a.Err != nil {
			t.Fatalf("alter broker %s: %v: %s", strconv.Itoa(int(id)), a.Err, a.ErrMessage)
		}
	}
}

func deleteTopics(t *testing.T, c *kafkatest.Cluster, topics []string) {
	t.Helper()
	answers, err := kadm.NewClient(c.Client()).DeleteTopics(t.Context(), topics...)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if a.Err != nil {
			t.Fatalf("delete topic %s: %v", a.Topic, a.Err)
		}
	}
}
