package runbooks

import (
	"fmt"
	"slices"
	"time"
)

// ValidateCluster judges how a cluster is named and logged in to, for those who
// make do with flags and have no runbook that was parsed. To name none is fine.
// What is wrong comes back as Errors without lines.
func (r Runbook) ValidateCluster() error {
	var es Errors
	if len(r.Cluster.Bootstrap) > 0 || r.Cluster.Simulated != "" {
		es = slices.Concat(clusterRule(r), tlsRule(r), saslRule(r))
	}
	return es.sorted()
}

// problems runs all rules; each is one function.
func (r Runbook) problems() Errors {
	var es Errors
	for _, rule := range []func(Runbook) Errors{
		versionRule, brokersRule, mustRule, clusterRule, tlsRule, saslRule, throttleRule, timesRule, headroomRule, windowRule, orderRule, stopRule,
	} {
		es = append(es, rule(r)...)
	}
	return es
}

func problem(key, remedy, format string, args ...any) Errors {
	return Errors{{Key: key, Message: fmt.Sprintf(format, args...), Remedy: remedy}}
}

func versionRule(r Runbook) Errors {
	if r.Version != Version {
		return problem("version", "write version: 1", "version %d is not known here", r.Version)
	}
	return nil
}

func brokersRule(r Runbook) Errors {
	if len(r.Brokers) == 0 {
		return problem("broker", "write broker: 1, or brokers: [1, 2]", "nobody is named who is to be drained")
	}
	if err := distinct(id())(r.Brokers); err != nil {
		return Errors{placed(err, 0, "brokers")}
	}
	if low := slices.Min(r.Brokers); low < 0 {
		return problem("brokers", "write an id from 0", "%d is not a broker id", low)
	}
	return nil
}

// mustRule asks for what a section that was given cannot do without.
func mustRule(r Runbook) Errors {
	var es Errors
	for _, k := range keys() {
		if !k.value.section || k.value.same(r, Runbook{}) {
			continue
		}
		for _, missing := range lacking(keys(), k.path, r) {
			es = append(es, problem(k.path, "write "+missing.value.want, "%s is not given", leaf(missing.path))...)
		}
	}
	return es
}

func clusterRule(r Runbook) Errors {
	c := r.Cluster
	switch {
	case len(c.Bootstrap) == 0 && c.Simulated == "":
		return problem("cluster", "write cluster: {bootstrap: [\"kafka-2:9092\"]}", "no cluster is named")
	case len(c.Bootstrap) > 0 && c.Simulated != "":
		return problem("cluster.simulated", "write one of them", "given beside cluster.bootstrap")
	case c.Simulated != "" && c.TLS != nil:
		return problem("cluster.tls", "take it away", "a simulated cluster is not reached by TLS")
	case c.Simulated != "" && c.SASL != nil:
		return problem("cluster.sasl", "take it away", "a simulated cluster asks for no login")
	}
	return nil
}

func tlsRule(r Runbook) Errors {
	t := r.Cluster.TLS
	switch {
	case t == nil || (t.CertFile == "") == (t.KeyFile == ""):
		return nil
	case t.KeyFile == "":
		return problem("cluster.tls.certFile", "write keyFile too", "a certificate without its key")
	}
	return problem("cluster.tls.keyFile", "write certFile too", "a key without its certificate")
}

func saslRule(r Runbook) Errors {
	s := r.Cluster.SASL
	if s == nil {
		return nil
	}
	var es Errors
	switch {
	case s.Mechanism == OAuthBearer && s.Username != "":
		es = problem("cluster.sasl.username", "take it away", "the token of %s says who logs in", OAuthBearer)
	case s.Mechanism != OAuthBearer && s.Mechanism != "" && s.Username == "":
		es = problem("cluster.sasl", "write a user name", "username is not given")
	}
	given := 0
	for _, yes := range []bool{s.PasswordFile != "", s.PasswordEnv != "", len(s.PasswordCommand) > 0} {
		if yes {
			given++
		}
	}
	if given != 1 {
		es = append(es, problem("cluster.sasl", "write one of passwordFile, passwordEnv and passwordCommand", "%d places are named where the secret is", given)...)
	}
	return es
}

func throttleRule(r Runbook) Errors {
	t := r.Throttle
	switch {
	case t.BytesPerSec < 0 || t.None && (t.Adaptive || t.BytesPerSec != 0):
		return problem("throttle", "write a rate, or none", "a rate and none at once")
	case t.Adaptive && t.BytesPerSec == 0, r.Present["throttle"] && !t.Given():
		return problem("throttle", "write {max: 200MB/s, adaptive: true}", "has no rate in it")
	case !t.Given() && r.Has(Move):
		return problem("throttle", "write a rate such as throttle: 50MB/s, or throttle: none for no limit", "not said, and replicas move")
	}
	return nil
}

// timesRule holds durations to what can work at all.
func timesRule(r Runbook) Errors {
	var es Errors
	for _, t := range []struct {
		key        string
		value, low time.Duration
	}{
		{"poll", r.Poll, 10 * time.Millisecond},
		{"stallAfter", r.StallAfter, time.Second},
		{"waitForForeign", r.WaitForForeign, 0},
		{"deadline", r.Deadline, 0},
		{"stop.timeout", r.Stop.Timeout, time.Second},
		{"confirm", r.Confirm, 0},
	} {
		if t.value < t.low {
			es = append(es, problem(t.key, "write at least "+formatDuration(t.low), "%s is too short", formatDuration(t.value))...)
		}
	}
	if r.Present["deadline"] && r.Deadline == 0 {
		es = append(es, problem("deadline", "leave it out for none", "0s has passed before the run begins")...)
	}
	if r.StallAfter <= r.Poll {
		es = append(es, problem("stallAfter", "write several times poll", "a stall is called before the second look")...)
	}
	return es
}

func headroomRule(r Runbook) Errors {
	if r.DiskHeadroom < 0 || r.DiskHeadroom >= 1 {
		return problem("diskHeadroom", "write a number below 1, such as 0.1", "nothing of the disk would be left to use")
	}
	return nil
}

func windowRule(r Runbook) Errors {
	if r.Window == nil && r.Present["windowEnd"] {
		return problem("windowEnd", "write window, or leave it out", "there is no window that could end")
	}
	return nil
}

// once are the kinds of steps that a run takes no more than once.
var once = []StepKind{Cordon, Move, Stop, Confirm, Unregister}

// orderRule is what the order of steps must keep: a stop and an unregister stand
// behind a verify that nothing has made stale.
func orderRule(r Runbook) Errors {
	var es Errors
	verified, seen := false, map[StepKind]bool{}
	complain := func(remedy, format string, args ...any) {
		es = append(es, problem("steps", remedy, format, args...)...)
	}
	for _, s := range r.Steps {
		if seen[s.Kind] && slices.Contains(once, s.Kind) {
			complain("write it once", "%s is there twice", s.Kind)
		}
		switch s.Kind {
		case Verify:
			verified = true
		case Move:
			verified = false
			if seen[Stop] {
				complain("write move before verify", "move stands behind stop")
			}
		case Stop, Unregister:
			if !verified {
				complain("write verify between the last move and it, such as [check, cordon, move, verify, stop, confirm]",
					"%s does not stand behind a verify", s.Kind)
			}
			if s.Kind == Stop && seen[Unregister] {
				complain("write unregister behind stop", "unregister stands before stop, and Kafka may forget a broker only once that is down")
			}
		case Confirm:
			if !seen[Stop] {
				complain("write stop before it, or leave confirm out", "confirm does not stand behind a stop")
			}
		}
		seen[s.Kind] = true
	}
	if len(r.Steps) == 0 {
		complain("leave the key out for the default order", "there are none")
	}
	return es
}

func stopRule(r Runbook) Errors {
	if r.Has(Stop) && len(r.Stop.Command) == 0 {
		return problem("stop", `write stop: {command: [ssh, "{host}", sudo, systemctl, stop, kafka]}`, "no command is named, and there is a stop step")
	}
	return nil
}
