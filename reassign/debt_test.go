package reassign

import (
	"encoding/json"
	"testing"
)

// What was in force before is told with its layer, also where it is not what has
// to be put back.
func TestADebtTellsWhatWasInForce(t *testing.T) {
	t.Parallel()
	broker := func(entries ...Entry) ResourceConfig {
		return ResourceConfig{Resource: OfBroker(1), Entries: entries}
	}
	topic := func(entries ...Entry) ResourceConfig {
		return ResourceConfig{Resource: OfTopic("t"), Entries: entries}
	}
	at := func(key string, layer Layer, value string) Entry { return Entry{Key: key, Layer: layer, Value: value} }
	for _, tc := range []struct {
		name string
		have ResourceConfig
		key  string
		want string // as JSON
		past string
	}{
		{"nothing", broker(), LeaderRate, `"before":null`, ""},
		{"another setting", broker(at(FollowerRate, DynamicBroker, "5")), LeaderRate, `"before":null`, ""},
		{"the broker's own", broker(at(LeaderRate, DynamicBroker, "5"), at(LeaderRate, DynamicDefault, "7")), LeaderRate,
			`"before":"5","layer":"dynamicBroker"`, "it was 5 (dynamicBroker)"},
		{"a cluster-wide default", broker(at(LeaderRate, DynamicDefault, "7")), LeaderRate,
			`"before":null,"layer":"dynamicDefault","inForce":"7"`, "it was 7 (dynamicDefault)"},
		{"one that is not told", broker(Entry{Key: LeaderRate, Layer: DynamicBroker, Hidden: true}), LeaderRate,
			`"before":null,"layer":"dynamicBroker"`, "it had a value that is not told (dynamicBroker)"},
		{"a default that is not told", broker(Entry{Key: LeaderRate, Layer: DynamicDefault, Hidden: true}), LeaderRate,
			`"before":null,"layer":"dynamicDefault"`, "it had a value that is not told (dynamicDefault)"},
		{"a topic's own", topic(at(MinISR, DynamicTopic, "3"), at(MinISR, Static, "2")), MinISR,
			`"before":"3","layer":"dynamicTopic"`, "it was 3 (dynamicTopic)"},
		{"a static value under a topic", topic(at(MinISR, Static, "2"), at(MinISR, Default, "1")), MinISR,
			`"before":null,"layer":"static","inForce":"2"`, "it was 2 (static)"},
		{"Kafka's own empty list", topic(at(LeaderList, Default, "")), LeaderList,
			`"before":null,"layer":"default","inForce":""`, "it was empty (default)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := DebtOn(tc.have, tc.key)
			text, err := json.Marshal(d)
			resource, _ := json.Marshal(tc.have.Resource)
			want := `{"resource":` + string(resource) + `,"key":"` + tc.key + `",` + tc.want + `}`
			if err != nil || string(text) != want {
				t.Errorf("got %s and %v, want %s", text, err, want)
			}
			if d.Past() != tc.past {
				t.Errorf("got %q, want %q", d.Past(), tc.past)
			}
		})
	}
}

// Before the layer was written down debts had none.
func TestADebtOfAnOlderJournalTellsNothing(t *testing.T) {
	t.Parallel()
	var d Debt
	if err := json.Unmarshal([]byte(`{"resource":{"kind":"broker","name":"1"},"key":"leader.replication.throttled.rate","before":"5","set":"9"}`), &d); err != nil {
		t.Fatal(err)
	}
	if d.Layer != "" || d.Past() != "" || *d.Before != "5" || !d.ours("9") {
		t.Errorf("got %+v", d)
	}
}
