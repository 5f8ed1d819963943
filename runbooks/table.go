package runbooks

import "time"

// keys is the table of the runbook, in the order in which keys are documented and
// printed.
func keys() []row[Runbook] {
	return []row[Runbook]{
		{path: "version", must: true, value: bind(version(), func(r *Runbook) *int { return &r.Version }),
			doc: "The version of the format."},
		{path: "name", flag: "name", value: bind(freeText(), func(r *Runbook) *string { return &r.Name }),
			doc: "What the run is called, for people."},
		{path: "reason", flag: "reason", value: bind(freeText(), func(r *Runbook) *string { return &r.Reason }),
			doc: "Why it is made, for the audit trail."},
		{path: "broker", group: "brokers", value: bind(loneID(), func(r *Runbook) *[]int32 { return &r.Brokers }),
			doc: "The broker that is drained."},
		{path: "brokers", flag: "broker", group: "brokers", value: bind(ids(), func(r *Runbook) *[]int32 { return &r.Brokers }),
			doc: "The brokers that are drained, planned together and stopped one after another in this order."},

		{path: "cluster", value: section("the keys of cluster, such as {bootstrap: [kafka-2:9092]}", func(*Runbook) {}, func(Runbook) bool { return false }),
			doc: "Where the brokers are."},
		{path: "cluster.bootstrap", flag: "bootstrap", group: "cluster", value: bind(addresses(), func(r *Runbook) *[]string { return &r.Cluster.Bootstrap }),
			doc: "Brokers to ask first. The drained one may be the only one named: the others are learnt from the cluster."},
		{path: "cluster.simulated", flag: "simulated", group: "cluster", value: bind(name("the name or file of a simulated cluster"), func(r *Runbook) *string { return &r.Cluster.Simulated }),
			doc: "A simulated cluster instead of a real one. A run on it asks nothing."},
		{path: "cluster.id", flag: "cluster-id", value: bind(name("a cluster id"), func(r *Runbook) *string { return &r.Cluster.ID }),
			doc: "Refuse any cluster with another id."},
		{path: "cluster.tls", flag: "tls", value: section("{} to trust the system's roots, or keys of tls", func(r *Runbook) { tls(r) }, func(r Runbook) bool { return r.Cluster.TLS != nil }),
			doc: "Encrypt. An empty map, `tls: {}`, trusts the system's roots; as a flag, `--tls true`."},
		{path: "cluster.tls.caFile", flag: "tls-ca-file", value: bind(name("a file"), func(r *Runbook) *string { return &tls(r).CAFile }),
			doc: "PEM file of the authorities to trust instead of the system's."},
		{path: "cluster.tls.certFile", flag: "tls-cert-file", value: bind(name("a file"), func(r *Runbook) *string { return &tls(r).CertFile }),
			doc: "PEM file of the certificate to show to brokers; with keyFile."},
		{path: "cluster.tls.keyFile", flag: "tls-key-file", value: bind(name("a file"), func(r *Runbook) *string { return &tls(r).KeyFile }),
			doc: "PEM file of its key."},
		{path: "cluster.tls.serverName", flag: "tls-server-name", value: bind(name("a host name"), func(r *Runbook) *string { return &tls(r).ServerName }),
			doc: "The name expected in the brokers' certificates, instead of the host that is dialled."},
		{path: "cluster.sasl", value: section("the keys of sasl: mechanism, username and where the secret is", func(r *Runbook) { sasl(r) }, func(r Runbook) bool { return r.Cluster.SASL != nil }),
			doc: "Log in."},
		{path: "cluster.sasl.mechanism", flag: "sasl-mechanism", must: true, value: bind(mechanism(), func(r *Runbook) *string { return &sasl(r).Mechanism }),
			doc: "How to log in."},
		{path: "cluster.sasl.username", flag: "sasl-username", value: bind(name("a user name"), func(r *Runbook) *string { return &sasl(r).Username }),
			doc: "Who logs in; not with OAUTHBEARER."},
		{path: "cluster.sasl.passwordFile", flag: "sasl-password-file", group: "secret", value: bind(name("a file"), func(r *Runbook) *string { return &sasl(r).PasswordFile }),
			doc: "File that holds the password or token. It is read at each login, so that it may be renewed."},
		{path: "cluster.sasl.passwordEnv", flag: "sasl-password-env", group: "secret", value: bind(variableName(), func(r *Runbook) *string { return &sasl(r).PasswordEnv }),
			doc: "Name of the environment variable that holds the password or token."},
		{path: "cluster.sasl.passwordCommand", group: "secret", value: bind(argv("[pass, show, kafka]"), func(r *Runbook) *[]string { return &sasl(r).PasswordCommand }),
			doc: "Program that prints the password or token. It is run at each login."},

		{path: "mode", flag: "mode", value: bind(oneOf[Mode](
			choice{"evacuate", "every replica leaves the broker"},
			choice{"at-risk", "only partitions move that the stop would leave leaderless or under their min ISR; leadership of the rest moves away as the broker shuts down"},
		), func(r *Runbook) *Mode { return &r.Mode }),
			doc: "What leaves the broker."},
		{path: "throttle", flag: "throttle", value: throttle(),
			doc: "Bytes a second into and out of each broker, `none` for no limit. It must be said when replicas move."},
		{path: "throttle.max", must: true, value: bind(ceiling(), func(r *Runbook) *int64 { return &r.Throttle.BytesPerSec }),
			doc: "The rate, in the long form `throttle: {max: 200MB/s, adaptive: true}`."},
		{path: "throttle.adaptive", value: bind(boolean(), func(r *Runbook) *bool { return &r.Throttle.Adaptive }),
			doc: "Go below the rate while the cluster is busy."},

		{path: "destinations", flag: "destinations", value: bind(ids(), func(r *Runbook) *[]int32 { return &r.Destinations }),
			doc: "Brokers that may receive replicas; all if not given."},
		{path: "destinationRacks", flag: "destination-racks", value: bind(nameList("a list of racks such as [a, b]"), func(r *Runbook) *[]string { return &r.DestinationRacks }),
			doc: "Racks that may receive replicas; all if not given."},
		{path: "exclude", flag: "exclude", value: bind(ids(), func(r *Runbook) *[]int32 { return &r.Exclude }),
			doc: "Brokers that may not receive replicas."},
		{path: "excludeTopics", flag: "exclude-topics", value: bind(topics(), func(r *Runbook) *[]TopicPattern { return &r.ExcludeTopics }),
			doc: "Topics whose replicas stay, by name or by a /regular expression/ that matches whole names. The broker is then not empty."},
		{path: "maxInFlight", flag: "max-in-flight", value: bind(count(1, 1e6), func(r *Runbook) *int { return &r.MaxInFlight }),
			doc: "Most moves in flight in the cluster."},
		{path: "maxInFlightPerBroker", flag: "max-in-flight-per-broker", value: bind(count(1, 1e6), func(r *Runbook) *int { return &r.MaxInFlightPerBroker }),
			doc: "Most moves in flight at one broker."},
		{path: "poll", flag: "poll", value: bind(duration(), func(r *Runbook) *time.Duration { return &r.Poll }),
			doc: "How often the cluster is looked at."},
		{path: "stallAfter", flag: "stall-after", value: bind(duration(), func(r *Runbook) *time.Duration { return &r.StallAfter }),
			doc: "How long without progress is a stall, which ends the run."},
		{path: "slack", flag: "slack", value: bind(fraction(), func(r *Runbook) *float64 { return &r.Slack }),
			doc: "How far the plan may stay from the least possible time for the sake of balance: 0.25 is a quarter longer."},
		{path: "diskHeadroom", flag: "disk-headroom", value: bind(fraction(), func(r *Runbook) *float64 { return &r.DiskHeadroom }),
			doc: "Part of each disk to leave free."},
		{path: "acceptRisks", flag: "accept-risk", value: bind(set("a list of risk words such as [under-min-isr]", risk(), true), func(r *Runbook) *[]string { return &r.AcceptRisks }),
			doc: "Risk words of findings that are accepted."},
		{path: "waitForForeign", flag: "wait-for-foreign", value: bind(duration(), func(r *Runbook) *time.Duration { return &r.WaitForForeign }),
			doc: "How long to wait for moves of others that stand in the way; 0 refuses at once."},

		{path: "deadline", flag: "deadline", value: bind(duration(), func(r *Runbook) *time.Duration { return &r.Deadline }),
			doc: "How long the run may take."},
		{path: "window", value: section("the keys of window: days, hours and timeZone", func(r *Runbook) { window(r) }, func(r Runbook) bool { return r.Window != nil }),
			doc: "When moves may start; always if not given."},
		{path: "window.days", flag: "window-days", value: bind(days(), func(r *Runbook) *[]time.Weekday { return &window(r).Days }),
			doc: "Days on which the window opens; every day if not given."},
		{path: "window.hours", flag: "window-hours", must: true, value: bind(hours(), func(r *Runbook) *Hours { return &window(r).Hours }),
			doc: "From when to when. Hours that cross midnight belong to the day on which they begin."},
		{path: "window.timeZone", flag: "window-time-zone", must: true, value: bind(zone(), func(r *Runbook) **time.Location { return &window(r).Zone }),
			doc: "By whose clocks."},
		{path: "windowEnd", flag: "window-end", value: bind(oneOf[WindowEnd](
			choice{"finish", "moves in flight end; no new one begins"},
			choice{"cancel", "moves in flight are taken back, so that each has to fit into a window"},
		), func(r *Runbook) *WindowEnd { return &r.WindowEnd }),
			doc: "What happens to moves in flight when the window closes."},

		{path: "steps", flag: "steps", value: bind(steps(), func(r *Runbook) *[]Step { return &r.Steps }),
			doc: "The order of the run. A stop must stand behind a verify, without a move between them."},
		{path: "cordon", flag: "cordon", value: bind(oneOf[CordonMode](
			choice{"auto", "close the broker to new replicas where the cluster can"},
			choice{"off", "do not"},
		), func(r *Runbook) *CordonMode { return &r.Cordon }),
			doc: "Whether the broker is closed to new replicas."},

		{path: "stop", value: section("the keys of stop, such as {command: [...]}", func(*Runbook) {}, func(Runbook) bool { return false }),
			doc: "How a drained broker is stopped."},
		{path: "stop.command", value: bind(argv(`[ssh, "{host}", sudo, systemctl, stop, kafka]`), func(r *Runbook) *[]string { return &r.Stop.Command }),
			doc: "The command, run as it is and never through a shell. It must hold `{broker}`, `{host}` or the host that the broker advertises; `{rack}` and `{drain}` are replaced too."},
		{path: "stop.probe", value: bind(argv(`[ssh, "{host}", "true"]`), func(r *Runbook) *[]string { return &r.Stop.Probe }),
			doc: "A command that must exit 0 before the first change, and again before the stop."},
		{path: "stop.timeout", flag: "stop-timeout", value: bind(duration(), func(r *Runbook) *time.Duration { return &r.Stop.Timeout }),
			doc: "How long until the broker must have left, but no less than 1.5 times the session timeout after the command. A command that takes longer is killed with its process group, and on Linux with descendants that left the group; not with those of another user, or without `DRAIN_RUN` in their environment."},
		{path: "stop.acceptExitCodes", flag: "stop-accept-exit-codes", value: bind(set("a list of exit codes such as [0, 255]", count(0, 255), true), func(r *Runbook) *[]int { return &r.Stop.AcceptExitCodes }),
			doc: "Exit codes that are fine. The list replaces the default, so name 0 too."},
		{path: "confirm", flag: "confirm", value: bind(duration(), func(r *Runbook) *time.Duration { return &r.Confirm }),
			doc: "How long the cluster is watched after the stop. Less than 1.5 times the brokers' session timeout is raised to that."},
	}
}

// runKeys is the table of a run step.
func runKeys() []row[RunStep] {
	return []row[RunStep]{
		{path: "steps.run.name", must: true, value: bind(name("a name"), func(s *RunStep) *string { return &s.Name }),
			doc: "What the step is called in the journal."},
		{path: "steps.run.command", must: true, value: bind(argv(`[curl, -fsS, "https://status.example/drain/{broker}"]`), func(s *RunStep) *[]string { return &s.Command }),
			doc: "The command, with the placeholders of stop.command."},
		{path: "steps.run.timeout", value: bind(duration(), func(s *RunStep) *time.Duration { return &s.Timeout }),
			doc: "How long it may take."},
		{path: "steps.run.repeat", value: bind(boolean(), func(s *RunStep) *bool { return &s.Repeat }),
			doc: "Whether it may run again when it began and nobody saw it end."},
	}
}

func mechanism() form[string] {
	return oneOf[string](
		choice{"PLAIN", "the password as it is: use TLS"},
		choice{"SCRAM-SHA-256", ""},
		choice{"SCRAM-SHA-512", ""},
		choice{OAuthBearer, "the secret is a token, asked for anew at each login; no username"},
	)
}

// The places that hold keys of their own and are absent until one is given.

func tls(r *Runbook) *TLS {
	if r.Cluster.TLS == nil {
		r.Cluster.TLS = &TLS{}
	}
	return r.Cluster.TLS
}

func sasl(r *Runbook) *SASL {
	if r.Cluster.SASL == nil {
		r.Cluster.SASL = &SASL{}
	}
	return r.Cluster.SASL
}

func window(r *Runbook) *Window {
	if r.Window == nil {
		r.Window = &Window{}
	}
	return r.Window
}
