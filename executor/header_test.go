package executor

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"drain/plan"
)

func TestAHeaderKeepsTheBrokersThatAnswerAfterTheDrain(t *testing.T) {
	t.Parallel()
	c := &plan.Cluster{Brokers: []plan.Broker{
		{ID: 1, Host: "drained", Port: 9092},
		{ID: 2, Host: "kafka-2", Port: 9092},
		{ID: 3, Host: "down", Port: 9092, State: plan.Down},
		{ID: 4, Port: 9092},
		{ID: 5, Host: "::1", Port: 19092},
	}}
	if got, want := reachable(c, []int32{1}), []string{"kafka-2:9092", "[::1]:19092"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for id := range int32(20) {
		c.Brokers = append(c.Brokers, plan.Broker{ID: 10 + id, Host: "more", Port: id + 1})
	}
	if got := reachable(c, nil); len(got) != mostReach || got[0] != "drained:9092" {
		t.Errorf("of a large cluster: %q, want the first %d", got, mostReach)
	}
}

// The way to the cluster is that of the last process, which may have found
// another broker in its place than the first.
func TestTheJournalKnowsTheWayToItsCluster(t *testing.T) {
	t.Parallel()
	header := func(kind Kind, reach ...string) Record {
		return Record{Kind: kind, Broker: none, Header: &Header{Version: JournalVersion, Run: "r", Cluster: "c", Brokers: []int32{1}, Reach: reach}}
	}
	first, again := header(KindHeader, "a:1", "b:1"), header(KindResume, "b:1", "c:1")
	for _, tc := range []struct {
		name    string
		records []Record
		cluster string
		reach   []string
	}{
		{"no journal", nil, "", nil},
		{"a run begun", []Record{first}, "c", []string{"a:1", "b:1"}},
		{"a run gone on with", []Record{first, {Kind: KindBegin, Step: 1, Name: "check", Broker: none}, again, {Kind: KindFail, Step: 1, Name: "check", Broker: none}}, "c", []string{"b:1", "c:1"}},
		{"a run that has ended", []Record{first, {Kind: KindClosed, Broker: none}}, "c", []string{"a:1", "b:1"}},
		{"one of a drain that wrote no addresses", []Record{header(KindHeader)}, "c", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			files := filesIn(t)
			if tc.records != nil {
				writeJournal(t, files, tc.records)
			}
			cluster, reach, err := Reachable(files)
			if cluster != tc.cluster || !slices.Equal(reach, tc.reach) || err != nil {
				t.Errorf("got %q, %q, %v; want %q, %q", cluster, reach, err, tc.cluster, tc.reach)
			}
		})
	}
}

func writeJournal(t *testing.T, files Files, records []Record) {
	t.Helper()
	for i := range records {
		records[i].N = i + 1
	}
	if err := os.WriteFile(files.Journal(), encode(t, records), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedJournalKnowsNoWay(t *testing.T) {
	t.Parallel()
	files := filesIn(t)
	text := started(t, files)
	text[len(text)/3] ^= 1
	if err := os.WriteFile(files.Journal(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	cluster, reach, err := Reachable(files)
	if !errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), files.Journal()) || cluster != "" || reach != nil {
		t.Errorf("got %q, %q, %v; want an error of the journal that names it", cluster, reach, err)
	}
}

// A journal of a drain that did not write a setting down says nothing about it.
func TestOnlySettingsThatWereWrittenDownHaveChanged(t *testing.T) {
	t.Parallel()
	now := map[string]string{"poll": "1s", "throttle": "20MB/s", "stopCommand": `["stop-it"]`}
	for _, tc := range []struct {
		was  map[string]string
		want string
	}{
		{map[string]string{"poll": "1s", "throttle": "20MB/s", "stopCommand": `["stop-it"]`}, ""},
		{map[string]string{"poll": "1s", "throttle": "20MB/s"}, ""},
		{map[string]string{"poll": "2s", "throttle": "10MB/s", "stopCommand": `["old"]`}, `; poll is now 1s, stopCommand is now ["stop-it"], throttle is now 20MB/s`},
		{nil, ""},
	} {
		if got := changedSettings(tc.was, now); got != tc.want {
			t.Errorf("it was %v: got %q, want %q", tc.was, got, tc.want)
		}
	}
}
