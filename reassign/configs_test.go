package reassign

import (
	"cmp"
	"testing"
)

// Names of topics were ordered as numbers where both were, and as text elsewhere:
// "9" < "10" < "1a" < "9" is no order, and the debts came in another one each time.
func TestResourcesHaveOneOrder(t *testing.T) {
	t.Parallel()
	order := []Resource{
		{Kind: BrokerResource}, OfBroker(0), OfBroker(2), OfBroker(9), OfBroker(10), OfBroker(11),
		OfTopic("10"), OfTopic("1a"), OfTopic("9"), OfTopic("a"), OfTopic("aa"), OfTopic("b"),
	}
	for i, a := range order {
		for j, b := range order {
			if got, want := compareSettings(setting{a, MinISR}, setting{b, MinISR}), cmp.Compare(i, j); got != want {
				t.Errorf("%v and %v: got %d, want %d", a, b, got, want)
			}
		}
	}
	if compareSettings(setting{OfBroker(1), FollowerRate}, setting{OfBroker(1), LeaderRate}) >= 0 {
		t.Error("settings of one broker are not in the order of their keys")
	}
}

func TestTheBrokerOfAResource(t *testing.T) {
	t.Parallel()
	for of, want := range map[Resource]int32{
		OfBroker(0): 0, OfBroker(1<<31 - 1): 1<<31 - 1, {Kind: BrokerResource}: -1, OfTopic("7"): -1,
	} {
		if got := of.Broker(); got != want {
			t.Errorf("%v: got %d, want %d", of, got, want)
		}
	}
}
