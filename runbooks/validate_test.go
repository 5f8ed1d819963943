package runbooks

import (
	"strings"
	"testing"
	"time"
)

// Runbooks that were made in Go, past the parser's checks of single values.
func TestRulesOnWhatNoFileCanSay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		change     func(*Runbook)
	}{
		{"sound", "", func(*Runbook) {}},
		{"no version", "version: version 0 is not known here; write version: 1", func(r *Runbook) { r.Version = 0 }},
		{"twice the same broker", "brokers: 1 is named twice; name each once", func(r *Runbook) { r.Brokers = []int32{1, 1} }},
		{"a broker that is none", "brokers: -1 is not a broker id; write an id from 0", func(r *Runbook) { r.Brokers = []int32{-1} }},
		{"two clusters", "cluster.simulated: given beside cluster.bootstrap; write one of them", func(r *Runbook) { r.Cluster.Bootstrap = []string{"a:1"} }},
		{"a rate and none", "throttle: a rate and none at once; write a rate, or none", func(r *Runbook) { r.Throttle.BytesPerSec = 5 }},
		{"a rate that adapts and none", "throttle: a rate and none at once; write a rate, or none", func(r *Runbook) { r.Throttle.Adaptive = true }},
		{"a rate below nothing", "throttle: a rate and none at once; write a rate, or none", func(r *Runbook) { r.Throttle = Throttle{BytesPerSec: -1} }},
		{"what adapts has no rate", "throttle: has no rate in it; write {max: 200MB/s, adaptive: true}", func(r *Runbook) { r.Throttle = Throttle{Adaptive: true} }},
		{"no steps", "steps: there are none; leave the key out for the default order", func(r *Runbook) { r.Steps = nil }},
		{"no headroom", "diskHeadroom: nothing of the disk would be left to use; write a number below 1, such as 0.1", func(r *Runbook) { r.DiskHeadroom = 1 }},
		{"a poll of nothing", "poll: 0s is too short; write at least 10ms", func(r *Runbook) { r.Poll = 0 }},
		{"the least of all times", "", func(r *Runbook) {
			r.Poll, r.StallAfter, r.Stop.Timeout, r.Confirm = 10*time.Millisecond, time.Second, time.Second, 0
		}},
		{"a stall as soon as it looks again", "stallAfter: a stall is called before the second look; write several times poll", func(r *Runbook) {
			r.Poll, r.StallAfter = 2*time.Second, 2*time.Second
		}},
		{"headroom below nothing", "diskHeadroom: nothing of the disk would be left to use; write a number below 1, such as 0.1", func(r *Runbook) { r.DiskHeadroom = -0.1 }},
		{"a window without hours", "window: hours is not given; write hours such as \"01:00-05:00\"", func(r *Runbook) { r.Window = &Window{Zone: time.UTC} }},
	} {
		r := Defaults()
		r.Brokers, r.Cluster.Simulated, r.Throttle.None = []int32{1}, "log-cluster", true
		r.Stop.Command = []string{"stop", "{broker}"}
		c.change(&r)
		got := ""
		if err := r.problems().sorted(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOrderOfSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ steps, want string }{
		{"check cordon move verify stop confirm", ""},
		{"verify stop confirm", ""},
		{"verify run approve stop run confirm unregister", ""},
		{"verify unregister", ""},
		{"move verify", ""},
		{"check check verify verify stop", ""},
		{"stop", "stop does not stand behind a verify"},
		{"verify move stop", "stop does not stand behind a verify"},
		{"move unregister", "unregister does not stand behind a verify"},
		{"verify unregister stop", "unregister stands before stop, and Kafka may forget a broker only once that is down"},
		{"verify stop move verify", "move stands behind stop"},
		{"verify stop verify stop", "stop is there twice"},
		{"verify confirm stop", "confirm does not stand behind a stop"},
	} {
		var r Runbook
		for kind := range strings.FieldsSeq(c.steps) {
			r.Steps = append(r.Steps, Step{Kind: StepKind(kind)})
		}
		got := orderRule(r)
		switch {
		case c.want == "" && len(got) > 0:
			t.Errorf("%s: got %v, want no complaint", c.steps, got)
		case c.want != "" && (len(got) != 1 || got[0].Message != c.want || got[0].Remedy == ""):
			t.Errorf("%s: got %v, want %q with a remedy", c.steps, got, c.want)
		}
	}
}

func TestDefaultsLackOnlyWhatHasNoDefault(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, e := range Defaults().problems() {
		keys = append(keys, e.Key)
	}
	if got := strings.Join(keys, " "); got != "broker cluster throttle stop" {
		t.Errorf("the defaults lack %s", got)
	}
}

func TestAClusterOfFlagsIsJudgedAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		of         Cluster
	}{
		{"none", "", Cluster{}},
		{"one", "", Cluster{Bootstrap: []string{"a:1"}}},
		{"two", "cluster.simulated: given beside cluster.bootstrap; write one of them", Cluster{Bootstrap: []string{"a:1"}, Simulated: "log-cluster"}},
		{"half a certificate", "cluster.tls.certFile: a certificate without its key; write keyFile too", Cluster{Bootstrap: []string{"a:1"}, TLS: &TLS{CertFile: "c"}}},
		{"a login without a secret", "cluster.sasl: 0 places are named where the secret is; write one of passwordFile, passwordEnv and passwordCommand",
			Cluster{Bootstrap: []string{"a:1"}, SASL: &SASL{Mechanism: "PLAIN", Username: "ops"}}},
	} {
		got := ""
		if err := (Runbook{Cluster: c.of}).ValidateCluster(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
