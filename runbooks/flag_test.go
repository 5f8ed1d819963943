package runbooks

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// published are flags that stand in scripts by their spelling.
var published = []string{
	"bootstrap", "slack", "mode", "exclude", "destinations", "disk-headroom", "throttle", "accept-risk", "broker",
}

func TestKeysDescribeTheTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var flags []string
	for _, k := range Keys() {
		if seen[k.Path] || k.Doc == "" || k.Want == "" || !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%s: described twice, or badly: %+v", k.Path, k)
		}
		if p := parent(k.Path); p != "" && !seen[p] {
			t.Errorf("%s stands before %s", k.Path, p)
		}
		seen[k.Path] = true
		if k.Flag != "" {
			flags = append(flags, k.Flag)
		}
	}
	for _, f := range published {
		if !slices.Contains(flags, f) {
			t.Errorf("no flag --%s", f)
		}
	}
	slices.Sort(flags)
	if len(slices.Compact(slices.Clone(flags))) != len(flags) {
		t.Errorf("a flag stands for two keys: %v", flags)
	}
}

func TestKeysShowDefaults(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"mode": "evacuate", "poll": "1s", "stallAfter": "10m", "slack": "0.25", "diskHeadroom": "0.1", "maxInFlightPerBroker": "64",
		"windowEnd": "finish", "steps": "[check, cordon, move, verify, stop, confirm]", "cordon": "auto", "stop.timeout": "5m",
		"stop.acceptExitCodes": "[0]", "confirm": "1m", "version": "1",
	}
	for _, k := range Keys() {
		if k.Default != want[k.Path] {
			t.Errorf("%s: default %q, want %q", k.Path, k.Default, want[k.Path])
		}
	}
}

const small = `version: 1
broker: 1
cluster: {simulated: log-cluster}
throttle: {max: 5MB/s}
exclude: [7]
stop: {command: [stop, "{broker}"]}
`

func parsed(t *testing.T, text string, flags ...Flag) Runbook {
	t.Helper()
	r, err := ParseWith(strings.NewReader(text), noEnv, Options{Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFlagsBeatTheRunbook(t *testing.T) {
	t.Parallel()
	got := parsed(t, small,
		Flag{"brokers", []string{"4,5"}},
		Flag{"cluster.bootstrap", []string{"a:1", "b:2,c:3"}},
		Flag{"cluster.tls", []string{"true"}},
		Flag{"cluster.tls.caFile", []string{"ca.pem"}},
		Flag{"throttle", []string{"none"}},
		Flag{"exclude", []string{"8"}},
		Flag{"acceptRisks", []string{"stray-log", "under-min-isr"}},
		Flag{"excludeTopics", []string{"/a,b/", "c"}},
		Flag{"steps", []string{"check,move,verify,stop"}},
		Flag{"window.hours", []string{"01:00-02:00"}},
		Flag{"window.timeZone", []string{"UTC"}},
		Flag{"name", []string{"${HOME} $$"}},
	)
	want := parsed(t, `version: 1
brokers: [4, 5]
cluster: {bootstrap: [a:1, b:2, c:3], tls: {caFile: ca.pem}}
throttle: none
exclude: [8]
acceptRisks: [stray-log, under-min-isr]
excludeTopics: ["/a,b/", c]
steps: [check, move, verify, stop]
window: {hours: "01:00-02:00", timeZone: UTC}
name: $${HOME} $$$$
stop: {command: [stop, "{broker}"]}
`)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\n%v\nwant\n%s\n%v", got, got.Present, want, want.Present)
	}
	assertReadsBack(t, got)
}

func TestAFlagMayGiveWhatTheRunbookLacks(t *testing.T) {
	t.Parallel()
	text := strings.Replace(small, "throttle: {max: 5MB/s}\n", "", 1)
	if _, err := Parse(strings.NewReader(text), noEnv); err == nil {
		t.Fatal("without a throttle: accepted")
	}
	r, err := ParseWith(strings.NewReader(text), noEnv, Options{Flags: []Flag{{"throttle", []string{"9MB/s"}}}})
	if err != nil || r.Throttle != (Throttle{BytesPerSec: 9e6}) || !r.Present["throttle"] {
		t.Errorf("got %+v, %v, want 9 MB/s", r.Throttle, err)
	}
}

func TestFlagsAreHeldToTheRulesOfTheFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag Flag
		want string
	}{
		{Flag{"brokers", []string{"010"}}, `--broker: "010" is not a broker id; write plain decimal digits without quotes, sign or leading zeros, such as 10`},
		{Flag{"brokers", []string{"1", "1"}}, `--broker: 1 is named twice; name each once`},
		{Flag{"stallAfter", []string{"600"}}, `--stall-after: "600" has no unit; write "600s" if seconds are meant`},
		{Flag{"poll", []string{"1s", "2s"}}, `--poll: takes one value, got 2; give a duration such as 30s`},
		{Flag{"mode", []string{"atrisk"}}, `--mode: "atrisk" is not known; write one of evacuate, at-risk`},
		{Flag{"cluster.tls", []string{"false"}}, `--tls: can only be true; leave it out`},
		{Flag{"steps", []string{"run"}}, `--steps: a run step needs a command; write {run: {name: page, command: [page, "draining {broker}"]}}`},
		{Flag{"stop.command", []string{"x"}}, `stop.command: no key that a flag can set`},
		{Flag{"broker", []string{"1"}}, `broker: no key that a flag can set`},
		{Flag{"colour", []string{"x"}}, `colour: no key that a flag can set`},
	} {
		_, err := ParseWith(strings.NewReader(small), noEnv, Options{Flags: []Flag{c.flag}})
		if err == nil || err.Error() != c.want {
			t.Errorf("%v: got %v, want %s", c.flag, err, c.want)
		}
		r := parsed(t, small)
		before := r.String()
		if err := r.Set(c.flag.Key, c.flag.Values...); err == nil || r.String() != before {
			t.Errorf("%v: Set says %v and leaves\n%s", c.flag, err, r)
		}
	}
}

func TestSetLeavesCopiesAlone(t *testing.T) {
	t.Parallel()
	r := parsed(t, "version: 1\nbroker: 1\ncluster: {bootstrap: [a:1], tls: {}}\nthrottle: none\nstop: {command: [stop, \"{broker}\"]}\n")
	c := r
	if err := c.Set("cluster.tls.serverName", "kafka"); err != nil {
		t.Fatal(err)
	}
	if r.Cluster.TLS.ServerName != "" || r.Present["cluster.tls.serverName"] || c.Cluster.TLS.ServerName != "kafka" {
		t.Errorf("the original has %+v, the copy %+v", r.Cluster.TLS, c.Cluster.TLS)
	}
	var fresh Runbook
	if err := fresh.Set("brokers", "3"); err != nil || !slices.Equal(fresh.Brokers, []int32{3}) || !fresh.Present["brokers"] {
		t.Errorf("on the zero value: %v, %v", fresh.Brokers, err)
	}
}

func TestFlagsAloneMakeAValidRunbook(t *testing.T) {
	t.Parallel()
	r := Defaults()
	r.Stop.Command = []string{"stop", "{broker}"}
	for _, f := range []Flag{{"brokers", []string{"0"}}, {"cluster.bootstrap", []string{"a:1"}}} {
		if err := r.Set(f.Key, f.Values...); err != nil {
			t.Fatal(err)
		}
	}
	err := r.problems().sorted()
	all, ok := errors.AsType[Errors](err)
	if !ok || len(all) != 1 || all[0].Key != "throttle" || all[0].Line != 0 {
		t.Errorf("without a throttle: got %v, want one error of the throttle without a line", err)
	}
	if err := r.Set("throttle", "1MB/s"); err != nil || r.problems().sorted() != nil {
		t.Errorf("with a throttle: %v, %v", err, r.problems().sorted())
	}
}
