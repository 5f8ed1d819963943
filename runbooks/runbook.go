// Package runbooks turns YAML bytes into a validated Runbook, and the words of
// the command line into the same values by the same rules.
//
// Runbook is what a run is asked to do; Error says what is wrong with it, on
// which line, and what to write instead. The package does not open files, read
// the environment or ask a cluster: whether the broker exists, or the stop
// command can be found, is for its callers to see.
package runbooks

import "time"

// Version is the only version of the format that this package reads.
const Version = 1

// Runbook is one drain, as it was asked for. Its zero value is not usable: start
// from Defaults or Parse.
type Runbook struct {
	Version      int
	Name, Reason string  // for people and the audit trail
	Brokers      []int32 // who is drained, in the order written; never empty once validated
	Cluster      Cluster
	Mode         Mode
	Throttle     Throttle

	Destinations     []int32  // brokers that may receive; empty is all
	DestinationRacks []string // racks that may receive; empty is all
	Exclude          []int32  // brokers that may not receive
	ExcludeTopics    []TopicPattern

	MaxInFlight          int           // moves in flight in the cluster; 0 is not given
	MaxInFlightPerBroker int           // moves in flight at one broker
	Poll                 time.Duration // how often the cluster is looked at
	StallAfter           time.Duration // how long without progress is a stall
	Slack                float64       // 0 to 1; the part of the least possible time that balance may cost
	DiskHeadroom         float64       // 0 to below 1; the part of each disk to leave free
	AcceptRisks          []string      // risk words of findings that are accepted
	WaitForForeign       time.Duration // 0 refuses at once
	Deadline             time.Duration // 0 is none
	Window               *Window       // nil is always
	WindowEnd            WindowEnd
	Steps                []Step // in order
	Cordon               CordonMode
	Stop                 StopSpec
	Confirm              time.Duration // how long the cluster is watched after the stop

	// Present holds the dotted path of each key that was written or laid over by
	// a flag ("stop.timeout", and "stop" too), so that a default can be told from
	// the same value given.
	Present map[string]bool
}

// Cluster is where the brokers are found. Exactly one of Bootstrap and Simulated
// is set once validated.
type Cluster struct {
	Bootstrap []string // host:port, IPv6 hosts in brackets
	Simulated string   // name or file of a simulated cluster
	ID        string   // refuse any other; empty is any
	TLS       *TLS     // nil is plain text
	SASL      *SASL    // nil is no login
}

// TLS is how connections are encrypted. The zero value trusts the system's roots
// and shows no certificate.
type TLS struct {
	CAFile, CertFile, KeyFile string // PEM; CertFile and KeyFile come together
	ServerName                string // expected in the broker's certificate; empty is the host dialled
}

// SASL is how drain logs in. It never holds the secret itself: exactly one of the
// three Password fields says where to get it.
type SASL struct {
	Mechanism       string // PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAuthBearer
	Username        string // empty with OAuthBearer
	PasswordFile    string
	PasswordEnv     string   // name of an environment variable
	PasswordCommand []string // argv whose output is the secret
}

// OAuthBearer is the mechanism whose secret is a token (RFC 7628, KIP-255).
const OAuthBearer = "OAUTHBEARER"

// Mode says which replicas leave the drained brokers.
type Mode string

const (
	// Evacuate moves every replica away.
	Evacuate Mode = "evacuate"
	// AtRisk moves only what the stop would leave leaderless or under its min ISR.
	AtRisk Mode = "at-risk"
)

// Throttle is the rate at which each broker may copy, in either direction. The
// zero value is "not given", which Validate refuses where replicas move.
type Throttle struct {
	BytesPerSec int64 // above 0 unless None or not given
	None        bool  // said "none": copy as fast as the cluster can
	Adaptive    bool  // BytesPerSec is the most; less while the cluster is busy
}

// Given reports whether a rate, or none, was said.
func (t Throttle) Given() bool { return t.None || t.BytesPerSec > 0 }

// WindowEnd says what happens to moves in flight when the window closes.
type WindowEnd string

const (
	// Finish lets them end; no new move begins.
	Finish WindowEnd = "finish"
	// Cancel takes them back.
	Cancel WindowEnd = "cancel"
)

// CordonMode says whether drained brokers are closed to new replicas.
type CordonMode string

const (
	// CordonAuto cordons where the cluster can.
	CordonAuto CordonMode = "auto"
	// CordonOff never does.
	CordonOff CordonMode = "off"
)

// StopSpec is how a drained broker is stopped.
type StopSpec struct {
	Command         []string      // argv with placeholders, see Expand; never given to a shell
	Probe           []string      // argv with placeholders that must exit 0 beforehand; empty is none
	Timeout         time.Duration // how long until the broker must have left
	AcceptExitCodes []int         // exit codes that are fine; 0 only if it is listed
}

// Defaults is a runbook that says nothing: every key at its default, and those
// that have none (brokers, cluster, throttle, the stop command) empty.
func Defaults() Runbook {
	return Runbook{
		Version:              Version,
		Mode:                 Evacuate,
		MaxInFlightPerBroker: 64,
		Poll:                 time.Second,
		StallAfter:           10 * time.Minute,
		Slack:                0.25,
		DiskHeadroom:         0.1,
		WindowEnd:            Finish,
		Steps:                DefaultSteps(),
		Cordon:               CordonAuto,
		Stop:                 StopSpec{Timeout: 5 * time.Minute, AcceptExitCodes: []int{0}},
		Confirm:              time.Minute,
		Present:              map[string]bool{},
	}
}
