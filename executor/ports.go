package executor

import (
	"context"
	"time"

	"drain/executor/child"
	"drain/plan"
	"drain/reassign"
)

// Observer takes a picture of the cluster. It is fresh: nothing in it comes
// from a cache, and topics are never created by asking. What could not be read
// is in plan.Cluster.Notes.
type Observer interface {
	Snapshot(ctx context.Context, s plan.Scope) (plan.Cluster, error)
}

// Watcher looks at who is there. Both answers are fresh.
type Watcher interface {
	// BrokersSeenBy lists the brokers that via's own metadata shows as live,
	// sorted. It asks that broker and no other.
	BrokersSeenBy(ctx context.Context, via int32) ([]int32, error)
	// SessionTimeout is how long a broker without a heartbeat stays listed
	// (broker.session.timeout.ms, or zookeeper.session.timeout.ms), the largest
	// value that any broker or controller tells.
	SessionTimeout(ctx context.Context) (time.Duration, error)
}

// Logs reads what lies on the disks of a broker.
type Logs interface {
	// Logs lists every log in the online log dirs of the broker, sorted, without
	// the ones that are marked for deletion (DescribeLogDirs), and the log dirs
	// that are offline. It holds the logs of topics that the login may not
	// describe. A missing right is an error, never an empty list.
	Logs(ctx context.Context, broker int32) (logs []plan.TopicPartition, offline []string, err error)
}

// Registry takes a broker out of the records of the cluster.
type Registry interface {
	// Unregister removes the registration of a broker (UnregisterBroker). Kafka
	// checks nothing: it would do it to a live one. It is nil for one that is not
	// registered.
	Unregister(ctx context.Context, broker int32) error
}

// Mover carries a plan out, under the throttle, and gives settings back.
// [reassign.Driver] is one.
type Mover interface {
	// Move returns once every move of the plan is verified complete and its
	// settings are given back. When ctx ends, it begins nothing new and returns;
	// what Kafka already copies goes on, and keeps its throttle.
	Move(ctx context.Context, p plan.Plan) error
	// Wait returns once none of the moves given at its making is in flight.
	Wait(ctx context.Context) error
	// Cancel cancels the moves in flight that are ours, and puts their replicas
	// back in the order they had.
	Cancel(ctx context.Context) error
	// Settle gives back every setting that covers no move in flight. It is an
	// error, naming each, if one could not be.
	Settle(ctx context.Context) error
	// Throttle changes the rate from the next look on; 0 is none.
	Throttle(bytesPerSec int64)
}

// MoverInput is what a Mover is made of, beside its own ports.
type MoverInput struct {
	Ledger  reassign.Ledger
	Debts   []reassign.Debt // owed from before
	Options reassign.Options
	Report  func(reassign.Event)
}

// Runner runs the commands of a runbook; [child.Runner] is the real one.
type Runner interface {
	// Find is nil if the program argv[0] exists and may be executed.
	Find(argv []string) error
	// Run starts the command, tells started who it is, and waits for its end. At
	// Command.Timeout or when ctx ends the whole process group is killed. The
	// error is for a command that could not be started; how one ended is in Exit.
	Run(ctx context.Context, c child.Command, started func(child.Process)) (child.Exit, error)
	// Alive says whether that very process still runs: the same id, started at
	// the same time of the same boot.
	Alive(p child.Process) bool
	// Kill ends the group of a process that is still alive.
	Kill(p child.Process) error
}

// Answer is who said yes, and how.
type Answer struct {
	Who string `json:"who"`
	How string `json:"how"` // "terminal", "--yes", "simulated cluster" or "drain approve"
}

// Confirmer asks a person.
type Confirmer interface {
	// Ask puts a question that is answered with yes or no. It returns
	// [ErrNobody] at once where nobody can answer, [ErrDeclined] on a no, and
	// ends with ctx.
	Ask(ctx context.Context, question string) (Answer, error)
}

// Sink takes the events of a run. Event never blocks and may be called from
// several goroutines.
type Sink interface {
	Event(ev Event)
}
