package executor

import (
	"time"

	"drain/executor/child"
	"drain/plan"
	"drain/reassign"
)

// EventKind is the word of an event in the JSON output.
type EventKind string

// The kinds of events. Every one has Time and Kind; what else is set is said
// beside it.
const (
	EventStart    EventKind = "start"    // a run begins: Run, Brokers, Text
	EventResume   EventKind = "resume"   // an interrupted run goes on: Run, Brokers, Text
	EventStep     EventKind = "step"     // a step begins: Step, Broker
	EventDone     EventKind = "done"     // a step has ended well: Step, Broker, Text
	EventSkip     EventKind = "skip"     // nothing to do: Step, Broker, Text says why ("already ...")
	EventPlan     EventKind = "plan"     // what will move: Plan
	EventFit      EventKind = "fit"      // when the moves are expected to be over, and when they must be: Text
	EventFindings EventKind = "findings" // what was found: Findings
	EventProgress EventKind = "progress" // of the moves: Move; of a wait or a watch: Text
	EventFound    EventKind = "found"    // a cleanup without a journal found something: Text
	EventMove     EventKind = "move"     // something happened to moves: Move, Text
	EventChange   EventKind = "change"   // something was changed, or given back: Text
	EventCommand  EventKind = "command"  // a command was started: Argv, PID
	EventOutput   EventKind = "output"   // a line of its output: Text
	EventExit     EventKind = "exit"     // a command has ended: Exit, Text
	EventWarn     EventKind = "warn"     // a person should look: Text
	EventWait     EventKind = "wait"     // waiting for a person, a window or moves of others: Text, Until
	EventLast     EventKind = "last"     // the run ends: Text says what goes on in Kafka and how to resume
)

// Event is something that happened. Text is one line for people, in words that
// need no other field.
type Event struct {
	Time   time.Time
	Kind   EventKind
	Step   string // such as "move"; empty outside of steps
	Broker int32  // -1: not about one
	Text   string

	Run      string // id of the run
	Brokers  []int32
	Plan     *plan.Plan
	Findings []plan.Finding
	Move     *reassign.Event
	Argv     []string
	PID      int
	Exit     *child.Exit
	Until    time.Time
}
