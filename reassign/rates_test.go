package reassign

import "testing"

func broker(entries ...Entry) ResourceConfig {
	return ResourceConfig{Resource: OfBroker(1), Entries: entries}
}

func TestRuleRate(t *testing.T) {
	t.Parallel()
	at := func(layer Layer, value string) Entry { return Entry{Key: LeaderRate, Value: value, Layer: layer} }
	for _, c := range []struct {
		name   string
		have   ResourceConfig
		debt   *Debt
		accept bool
		want   ruling
	}{
		{"none is set", broker(), nil, false, ruling{set: "1000", stands: 1000}},
		{"ours stands", broker(at(DynamicBroker, "1000")), &Debt{Set: "1000"}, false, ruling{stands: 1000}},
		{"ours was removed", broker(), &Debt{Set: "1000"}, false, ruling{set: "1000", stands: 1000}},
		{"ours is an older one", broker(at(DynamicBroker, "400")), &Debt{Set: "1000", Was: []string{"400"}}, false, ruling{set: "1000", stands: 1000}},
		{"ours is to be another one", broker(at(DynamicBroker, "400")), &Debt{Set: "400"}, false, ruling{set: "1000", stands: 1000}},
		{"an operator's lower one stays", broker(at(DynamicBroker, "400")), nil, false, ruling{stands: 400, yielded: true}},
		{"also while ours is owed", broker(at(DynamicBroker, "400")), &Debt{Set: "1000"}, false, ruling{stands: 400, yielded: true}},
		{"unless it may be raised", broker(at(DynamicBroker, "400")), nil, true, ruling{set: "1000", stands: 1000}},
		{"an operator's equal one needs nothing", broker(at(DynamicBroker, "1000")), nil, false, ruling{stands: 1000}},
		{"an operator's higher one is lowered", broker(at(DynamicBroker, "9000")), nil, false, ruling{set: "1000", stands: 1000}},
		{"a rate of nothing stays, and counts as one byte", broker(at(DynamicBroker, "0")), nil, false, ruling{stands: 1, yielded: true}},
		{"what is no number is replaced", broker(at(DynamicBroker, "fast")), nil, false, ruling{set: "1000", stands: 1000}},
		{"a lower cluster-wide default is made the broker's", broker(at(DynamicDefault, "400")), nil, false, ruling{set: "400", stands: 400}},
		{"a higher one is lowered there", broker(at(DynamicDefault, "9000")), nil, false, ruling{set: "1000", stands: 1000}},
		{"a default may be raised", broker(at(DynamicDefault, "400")), nil, true, ruling{set: "1000", stands: 1000}},
		{"the broker's own is under the default", broker(at(DynamicBroker, "300"), at(DynamicDefault, "400")), nil, false, ruling{stands: 300, yielded: true}},
		{"the broker's own is over the default", broker(at(DynamicBroker, "800"), at(DynamicDefault, "400")), nil, false, ruling{set: "400", stands: 400}},
		{"the other side does not count", broker(Entry{Key: FollowerRate, Value: "400", Layer: DynamicBroker}), nil, false, ruling{set: "1000", stands: 1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var d Debt
			if c.debt != nil {
				d = *c.debt
			}
			if got := ruleRate(c.have, LeaderRate, 1000, d, c.debt != nil, c.accept); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestRuleMinISR(t *testing.T) {
	t.Parallel()
	at := func(layer Layer, value string) Entry { return Entry{Key: MinISR, Value: value, Layer: layer} }
	for _, c := range []struct {
		name   string
		have   []Entry
		factor int
		want   ruling
	}{
		{"the default is under the factor", []Entry{at(Default, "1")}, 1, ruling{stands: 1}},
		{"the cluster's is over it", []Entry{at(DynamicDefault, "2"), at(Default, "1")}, 1, ruling{set: "1", stands: 1}},
		{"the brokers' file is", []Entry{at(Static, "2"), at(Default, "1")}, 1, ruling{set: "1", stands: 1}},
		{"the topic's own counts first", []Entry{at(DynamicTopic, "1"), at(DynamicDefault, "2")}, 1, ruling{stands: 1}},
		{"and may be the one that is over", []Entry{at(DynamicTopic, "3"), at(Default, "1")}, 2, ruling{set: "2", stands: 2}},
		{"equal is enough", []Entry{at(DynamicTopic, "3")}, 3, ruling{stands: 3}},
		{"nobody told", nil, 1, ruling{}},
		{"no number", []Entry{at(DynamicTopic, "many"), at(Default, "2")}, 1, ruling{set: "1", stands: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := ruleMinISR(ResourceConfig{Resource: OfTopic("t"), Entries: c.have}, c.factor); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
