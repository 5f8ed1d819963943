package main

import (
	"encoding/json"
	"io"
	"time"

	"drain/executor"
	"drain/executor/child"
	"drain/plan"
	"drain/reassign"
)

// jsonEvents prints one event a line, for programs.
type jsonEvents struct{ enc *json.Encoder }

func newJSONEvents(w io.Writer) *jsonEvents {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &jsonEvents{enc}
}

// eventJSON is the form of an event in the output. Time, Event and Step are
// always there.
type eventJSON struct {
	Time     time.Time      `json:"time"`
	Event    string         `json:"event"`
	Step     string         `json:"step"`
	Broker   *int32         `json:"broker,omitempty"`
	Text     string         `json:"text,omitempty"`
	Run      string         `json:"run,omitempty"`
	Brokers  []int32        `json:"brokers,omitempty"`
	Plan     *plan.Plan     `json:"plan,omitempty"`
	Findings []plan.Finding `json:"findings,omitempty"`
	Progress *progressJSON  `json:"progress,omitempty"`
	Move     *moveEventJSON `json:"move,omitempty"`
	Argv     []string       `json:"argv,omitempty"`
	PID      int            `json:"pid,omitempty"`
	Exit     *child.Exit    `json:"exit,omitempty"`
	Until    *time.Time     `json:"until,omitempty"`
}

// moveEventJSON is what happened to moves and their settings.
type moveEventJSON struct {
	What        reassign.EventKind `json:"what"`
	Partitions  []string           `json:"partitions,omitempty"`
	Broker      *int32             `json:"broker,omitempty"`
	BytesPerSec *int64             `json:"bytesPerSec,omitempty"`
	Setting     *reassign.Debt     `json:"setting,omitempty"`
}

type progressJSON struct {
	Moves       int      `json:"moves"`
	MovesTotal  int      `json:"movesTotal"`
	Bytes       int64    `json:"bytes"`
	BytesTotal  int64    `json:"bytesTotal"`
	BytesPerSec int64    `json:"bytesPerSec"`
	SecondsLeft *float64 `json:"secondsLeft,omitempty"`
	InFlight    int      `json:"inFlight"`
	Waiting     []string `json:"waiting,omitempty"` // partitions without progress for a while
}

func (j *jsonEvents) event(ev executor.Event) {
	out := eventJSON{
		Time: ev.Time, Event: string(ev.Kind), Step: ev.Step, Text: ev.Text,
		Run: ev.Run, Brokers: ev.Brokers, Plan: ev.Plan, Findings: ev.Findings,
		Argv: ev.Argv, PID: ev.PID, Exit: ev.Exit,
	}
	if ev.Broker >= 0 {
		out.Broker = &ev.Broker
	}
	if !ev.Until.IsZero() {
		out.Until = &ev.Until
	}
	if p := progressOf(ev); p != nil {
		out.Progress = progressDocument(*p)
	} else if ev.Move != nil {
		out.Move = moveDocument(*ev.Move)
	}
	j.enc.Encode(out) // a closed pipe is the reader's choice
}

func (j *jsonEvents) close() {}

func moveDocument(ev reassign.Event) *moveEventJSON {
	out := &moveEventJSON{What: ev.Kind, Setting: ev.Debt}
	for _, tp := range ev.Partitions {
		out.Partitions = append(out.Partitions, tp.String())
	}
	if broker, ok := ev.About(); ok {
		out.Broker = &broker
	}
	if rate, ok := ev.Rate(); ok {
		out.BytesPerSec = &rate
	}
	return out
}

func progressDocument(p reassign.Progress) *progressJSON {
	out := &progressJSON{
		Moves: p.Moves, MovesTotal: p.MovesTotal, Bytes: p.Bytes, BytesTotal: p.BytesTotal,
		BytesPerSec: p.BytesPerSec, InFlight: len(p.InFlight),
	}
	for _, f := range p.InFlight {
		if f.Quiet >= longQuiet {
			out.Waiting = append(out.Waiting, f.String())
		}
	}
	if p.Left >= 0 {
		seconds := p.Left.Seconds()
		out.SecondsLeft = &seconds
	}
	return out
}

// endJSON is the last line of every run.
type endJSON struct {
	Time     time.Time `json:"time"`
	Event    string    `json:"event"` // "end"
	Step     string    `json:"step"`
	ExitCode int       `json:"exitCode"`
	Error    string    `json:"error,omitempty"`
	Run      string    `json:"run,omitempty"`
	Journal  string    `json:"journal,omitempty"`
	Changed  bool      `json:"changed"`
	Stopped  []int32   `json:"stopped"`
	Cordoned []int32   `json:"cordoned,omitempty"`
	Owed     int       `json:"owed"`
}

func (j *jsonEvents) end(now time.Time, done executor.Done, err error) {
	out := endJSON{
		Time: now, Event: "end", ExitCode: exitCode(err), Run: done.Run, Journal: done.Journal,
		Changed: done.Changed, Stopped: done.Stopped, Cordoned: done.Cordoned, Owed: len(done.Owed),
	}
	if out.Stopped == nil {
		out.Stopped = []int32{}
	}
	if err != nil {
		out.Error = err.Error()
	}
	j.enc.Encode(out)
}
