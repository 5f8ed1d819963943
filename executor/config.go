package executor

import (
	"context"
	"log/slog"

	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

// Config is what a run needs: the runbook, where its state lies, and the ports.
// Every port must be set unless it says otherwise.
type Config struct {
	Runbook runbooks.Runbook
	Path    string // of the runbook; absolute, it names the journal
	Who     string // user and host, for the audit trail

	StateDir string // made if it is not there, mode 0700
	LockDir  string // one for the whole host; empty: locks in StateDir
	Drain    string // path of the running program, for {drain}

	// Simulated is the address of the simulated cluster, handed to children as
	// DRAIN_SIMULATED; empty on a real one. A run on it asks nothing.
	Simulated string
	Yes       bool // asks nothing

	Observer  Observer
	Watcher   Watcher
	Logs      Logs
	Configs   reassign.Configs       // for the cordon
	Registry  Registry               // nil where no step unregisters
	NewMover  func(MoverInput) Mover // [Driving] makes one
	Mode      plan.ControllerMode    // of the cluster
	Runner    Runner
	Confirmer Confirmer
	Sink      Sink

	// Plan decides the moves: [plan.Compute], or for a plan made before, a
	// function that returns it if the cluster still matches.
	Plan func(plan.Cluster, plan.Request) (plan.Plan, error)
	// Made names the plan that Plan carries out, if it was made before.
	Made Made
	// Dial tries a TCP connection to host:port and hangs up; nil error means
	// that something accepted it. Nil: ports are not looked at.
	Dial func(ctx context.Context, address string) error

	Log *slog.Logger // nil: none

	disk opener // of tests; nil: the real one
}

// Made is a plan made before. A run under one is gone on with under the same:
// another plan is another run. The zero value is none.
type Made struct {
	File string // as it was given, to resume with
	Hash string // tells it from other plans; empty is none
}
