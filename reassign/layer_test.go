package reassign_test

import (
	"maps"
	"testing"
	"testing/synctest"

	"drain/internal/simkafka"
	"drain/reassign"
)

// Our values are laid over a cluster-wide default, a static value and a broker's
// own: each debt says which, and all come to light again afterwards.
func TestDebtsTellTheLayersOfACluster(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := simkafka.Spec{
			Static:   map[string]string{reassign.MinISR: "2"},
			Defaults: map[string]string{reassign.FollowerRate: "900000"},
			Brokers:  []simkafka.Broker{{ID: 1, Configs: map[string]string{reassign.LeaderRate: "90000000"}}, {ID: 2}},
			Topics:   []simkafka.Topic{{Name: "log"}},
		}
		for n := range int32(8) {
			s.Topics[0].Partitions = append(s.Topics[0].Partitions, simkafka.Partition{Number: n, Replicas: []int32{1}, Bytes: 1_000_000})
		}
		d := drillOn(t, s)
		was := map[string]string{}
		d.journal.owed = func(debt reassign.Debt) {
			if _, again := was[debt.String()]; !again {
				was[debt.String()] = debt.Past()
			}
		}
		if err, _ := d.drive(func(driver *reassign.Driver) error { return driver.Move(t.Context(), d.plan) }); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{
			"broker 1 " + reassign.LeaderRate:    "it was 90000000 (dynamicBroker)",
			"broker 2 " + reassign.FollowerRate:  "it was 900000 (dynamicDefault)",
			"topic log " + reassign.MinISR:       "it was 2 (static)",
			"topic log " + reassign.LeaderList:   "",
			"topic log " + reassign.FollowerList: "",
		}
		if !maps.Equal(was, want) {
			t.Errorf("got %v, want %v", was, want)
		}
		d.wantClean()
	})
}
