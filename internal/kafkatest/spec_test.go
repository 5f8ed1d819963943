package kafkatest

import (
	"strings"
	"testing"
)

func TestASpecThatCannotStartIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		spec Spec
		want string // "" is no error
	}{
		{name: "the zero value is fine"},
		{name: "the last version with ZooKeeper", spec: Spec{Version: "3.9.2", ZooKeeper: true}},
		{name: "ZooKeeper in 4.0", spec: Spec{Version: "4.0.2", ZooKeeper: true}, want: "no ZooKeeper mode"},
		{name: "KRaft in 2.8", spec: Spec{Version: "2.8.2"}, want: "set ZooKeeper"},
		{name: "two controllers", spec: Spec{Controllers: 2}, want: "1 or 3"},
		{name: "more combined controllers than brokers", spec: Spec{Brokers: Brokers(2), Controllers: 3, Combined: true}, want: "3 combined controllers among 2 brokers"},
		{name: "an id twice", spec: Spec{Brokers: []Broker{{ID: 4}, {ID: 4}}}, want: "broker id 4"},
		{name: "a controller's id", spec: Spec{Brokers: []Broker{{ID: 100}}}, want: "broker id 100"},
		{name: "a protocol that is none", spec: Spec{Security: Security{Protocol: "TLS"}}, want: `"TLS"`},
		{name: "the brokers' own name", spec: Spec{Security: Security{Users: map[string]string{"broker": "x"}}}, want: `user "broker"`},
		{name: "TLS without PEM files", spec: Spec{Version: "2.4.1", ZooKeeper: true, Security: Security{Protocol: "SSL"}}, want: "security needs 2.7"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := test.spec.withDefaults()
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestABrokersOwnConfigBeatsTheClusters(t *testing.T) {
	t.Parallel()
	s := Spec{
		Config:  map[string]string{"num.io.threads": "3", "log.retention.ms": "-1"},
		Brokers: []Broker{{ID: 1}, {ID: 2, Config: map[string]string{"num.io.threads": "4"}}},
	}
	s, err := s.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{spec: s, nodes: s.nodes()}
	for id, want := range map[int32]string{100: "3", 1: "3", 2: "4"} {
		p := c.properties(c.node(id))
		if p["num.io.threads"] != want || p["log.retention.ms"] != "-1" {
			t.Errorf("node %d: got %s threads and retention %s, want %s and -1", id, p["num.io.threads"], p["log.retention.ms"], want)
		}
	}
}
