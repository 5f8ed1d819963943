package executor

import (
	"time"

	"drain/executor/child"
	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

// Kind says what a record is about.
type Kind string

// The kinds of records.
const (
	KindHeader   Kind = "header"   // first of a journal: Header
	KindResume   Kind = "resume"   // another process takes the run up: Header says who
	KindBaseline Kind = "baseline" // health before the run, in one or more records: Baseline
	KindConsent  Kind = "consent"  // a person agreed to the plan: Answer
	KindBegin    Kind = "begin"    // a step begins
	KindEnd      Kind = "end"      // a step has ended well: Text
	KindFail     Kind = "fail"     // a step has failed: Text
	KindPlan     Kind = "plan"     // what will move, in one or more records: Plan
	KindOwe      Kind = "owe"      // a setting is about to be changed: Debt
	KindPaid     Kind = "paid"     // it was given back: Debt
	KindSubmit   Kind = "submit"   // moves are about to be requested: Partitions
	KindMoved    Kind = "moved"    // moves are verified complete: Partitions
	KindArrived  Kind = "arrived"  // replicas were found that no plan left there: Partitions
	KindAct      Kind = "act"      // a command or an unregistration is about to begin: Act
	KindChild    Kind = "child"    // its process: Process
	KindExit     Kind = "exit"     // its end: Exit
	KindGone     Kind = "gone"     // other brokers no longer list the broker
	KindApproved Kind = "approved" // a person answered an approve step: Answer
	KindThrottle Kind = "throttle" // a person changed the rate: Throttle, Answer
	KindCancel   Kind = "cancel"   // a person cancelled the run: Answer
	KindWindow   Kind = "window"   // the hours in which moves start were over before all was moved: Text
	KindCleaned  Kind = "cleaned"  // a cleanup gave everything back: nothing of the run is left on the cluster
	KindClosed   Kind = "closed"   // last of a journal: Text is the outcome
)

// Record is one line of the journal. Which of the pointers and lists is set
// goes by Kind.
type Record struct {
	N      int               `json:"n"` // from 1, without a gap
	Time   time.Time         `json:"time"`
	Kind   Kind              `json:"kind"`
	Step   int               `json:"step,omitempty"` // from 1; 0: not in a step
	Name   runbooks.StepKind `json:"name,omitempty"` // kind of that step
	Broker int32             `json:"broker"`         // -1: not about one
	Text   string            `json:"text,omitempty"`

	Header     *Header        `json:"header,omitempty"`
	Baseline   *Baseline      `json:"baseline,omitempty"`
	Plan       *PlanPart      `json:"plan,omitempty"`
	Debt       *reassign.Debt `json:"debt,omitempty"`
	Partitions []Partition    `json:"partitions,omitempty"`
	Act        *Act           `json:"act,omitempty"`
	Process    *child.Process `json:"process,omitempty"`
	Exit       *child.Exit    `json:"exit,omitempty"`
	Answer     *Answer        `json:"answer,omitempty"`
	Throttle   *int64         `json:"throttle,omitempty"` // bytes a second; 0: none
	Well       bool           `json:"well,omitempty"`     // of the last record: the run ended well
}

// Header says whose run it is. A resume tells the same of the process that
// goes on.
type Header struct {
	Version int `json:"version"`
	// Verb is empty for a run, "restore" for a restore.
	Verb runbooks.StepKind `json:"verb,omitempty"`
	Run  string            `json:"run"` // id of the run, unique on the host
	// Restores is the id of the run whose moves a restore puts back.
	Restores string  `json:"restores,omitempty"`
	Cluster  string  `json:"cluster"`
	Brokers  []int32 `json:"brokers"`
	Plan     string  `json:"plan"` // hash of what decides the moves, see runbooks.Runbook.Deciding
	// Moves is the same without the stop.
	Moves string `json:"moves,omitempty"`
	// Reach are addresses of brokers that stay, for whoever finds that those of
	// the runbook do not answer.
	Reach   []string `json:"reach,omitempty"`
	Runbook string   `json:"runbook"` // absolute path
	Who     string   `json:"who"`
	Reason  string   `json:"reason,omitempty"`
	PID     int      `json:"pid"`
	// Settings are those that may change between runs, as they are now: name
	// and value, for the audit trail.
	Settings map[string]string `json:"settings,omitempty"`
}

// Baseline is the health of the cluster before the run. Only what was not well
// is listed, so that millions of healthy partitions cost nothing: a partition
// that is in no list was led, in sync and above its minimum.
type Baseline struct {
	Partitions int      `json:"partitions"` // of the whole cluster
	Live       []int32  `json:"live"`       // brokers
	Targets    []Target `json:"targets"`    // the drained ones
	Sick       []Health `json:"sick,omitempty"`
	More       bool     `json:"more,omitempty"` // the next record goes on
}

// Target is where a drained broker is. Once it is down nobody may tell.
type Target struct {
	Broker int32  `json:"broker"`
	Host   string `json:"host,omitempty"`
	Rack   string `json:"rack,omitempty"`
}

// Health is how a partition is.
type Health struct {
	Partition  Partition `json:"partition"`
	Leaderless bool      `json:"leaderless,omitempty"`
	UnderMin   bool      `json:"underMin,omitempty"` // fewer in sync than its effective minimum
	Missing    int       `json:"missing,omitempty"`  // replicas that are not in sync
}

// PlanPart is a part of a plan.
type PlanPart struct {
	Round int         `json:"round"` // from 1
	Moves []Move      `json:"moves,omitempty"`
	Left  []Partition `json:"left,omitempty"` // replicas that stay
	More  bool        `json:"more,omitempty"` // the next record goes on
}

// Act is what cannot be taken back.
type Act struct {
	Argv    []string      `json:"argv,omitempty"`
	Output  string        `json:"output,omitempty"` // file with what it prints
	Timeout time.Duration `json:"timeout,omitempty"`
	Live    []int32       `json:"live,omitempty"` // brokers just before a stop
	// Proven lists what the prediction before a stop says that will be worse,
	// and a person accepted.
	Proven []Health `json:"proven,omitempty"`
}

// Partition is a name such as orders-3 that is text in JSON.
type Partition plan.TopicPartition
