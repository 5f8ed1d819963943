package executor

import (
	"cmp"
	"slices"
	"time"

	"drain/executor/child"
	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

// none stands for "not about one broker".
const none int32 = -1

// Slot is one step of a run; of a stop and what goes with it there is one for
// each broker.
type Slot struct {
	Step   int               // from 1, in the order of the runbook; 0: not one of its steps
	Kind   runbooks.StepKind //
	Broker int32             // or -1
}

type slotKey struct {
	step   int
	broker int32
}

// compare orders slots by broker, then by step.
func (k slotKey) compare(o slotKey) int {
	return cmp.Or(cmp.Compare(k.broker, o.broker), cmp.Compare(k.step, o.step))
}

func (s Slot) key() slotKey { return slotKey{s.Step, s.Broker} }

// progress is how far a slot is, as numbers of records; 0 is never.
type progress struct {
	kind                 runbooks.StepKind
	broker               int32
	begun, ended, failed int // the last time each
	acted                int // its command or unregistration was begun
	act                  Act
	actedAt              time.Time
	process              *child.Process
	exit                 *child.Exit
	gone                 int
	approved             int
}

// history is what the records of a run add up to.
type history struct {
	header   Header
	settings map[string]string // as the last process had them
	session  int               // number of the record with which the process of now began
	baseline health
	targets  []Target
	baseAt   int // its record
	consent  int
	slots    map[slotKey]*progress

	rounds   int         // plans made
	first    []plan.Move // of the first plan, as they were made
	moves    map[Partition]plan.Move
	moved    map[Partition]bool
	asked    map[Partition]bool // submitted, at least once
	left     map[Partition]bool // replicas that the last plan leaves
	arrived  int                // last record of that kind
	arrivals int                // number of such records in this session
	book     reassign.Book
	lifted   map[int32]int // last record of a cordon that was given back, by broker
	throttle *int64

	tried     bool // moves were asked for in this window, and none has been completed since
	fruitless int  // windows in a row that closed on such

	changed bool
	cleaned bool // nothing is left of it, and it was not gone on with since
}

// fold adds the records up.
func fold(records []Record) *history {
	h := &history{
		baseline: health{sick: map[Partition]Health{}},
		slots:    map[slotKey]*progress{},
		moves:    map[Partition]plan.Move{}, moved: map[Partition]bool{}, asked: map[Partition]bool{},
		left: map[Partition]bool{}, lifted: map[int32]int{},
	}
	for _, rec := range records {
		h.addRun(rec)
		h.addStep(rec)
		h.addMoves(rec)
		h.addWindow(rec)
		h.addDebt(rec)
	}
	return h
}

// at is the progress of a slot, zero if it was never touched.
func (h *history) at(s Slot) progress {
	if p := h.slots[s.key()]; p != nil {
		return *p
	}
	return progress{}
}

func (h *history) addRun(rec Record) {
	switch rec.Kind {
	case KindHeader:
		h.header, h.settings, h.session = *rec.Header, rec.Header.Settings, rec.N
	case KindResume:
		if rec.Header.Settings["throttle"] != h.settings["throttle"] {
			h.throttle = nil // the runbook says another one since a person asked
		}
		h.settings, h.session, h.arrivals = rec.Header.Settings, rec.N, 0
	case KindBaseline:
		h.addBaseline(rec)
	case KindConsent:
		h.consent = rec.N
	case KindThrottle:
		h.throttle = rec.Throttle
	}
	if rec.Kind != KindClosed {
		h.cleaned = rec.Kind == KindCleaned
	}
}

// addBaseline begins anew unless the record before said that more would come.
func (h *history) addBaseline(rec Record) {
	if !h.baseline.more {
		h.baseline = health{sick: map[Partition]Health{}}
	}
	for _, s := range rec.Baseline.Sick {
		h.baseline.sick[s.Partition] = s
	}
	h.targets = rec.Baseline.Targets
	h.baseline.live, h.baseline.more, h.baseAt = rec.Baseline.Live, rec.Baseline.More, rec.N
}

func (h *history) addStep(rec Record) {
	if rec.Step == 0 {
		return
	}
	key := slotKey{rec.Step, rec.Broker}
	p := h.slots[key]
	if p == nil {
		p = &progress{kind: rec.Name, broker: rec.Broker}
		h.slots[key] = p
	}
	switch rec.Kind {
	case KindBegin:
		p.begun = rec.N
	case KindEnd:
		p.ended = rec.N
	case KindFail:
		p.failed = rec.N
	case KindAct:
		p.acted, p.act, p.actedAt, p.process, p.exit = rec.N, *rec.Act, rec.Time, nil, nil
		h.changed = true
	case KindChild:
		p.process = rec.Process
	case KindExit:
		p.exit = rec.Exit
	case KindGone:
		p.gone = rec.N
	case KindApproved:
		p.approved = rec.N
	}
}

func (h *history) addMoves(rec Record) {
	switch rec.Kind {
	case KindPlan:
		h.addPlan(*rec.Plan)
	case KindSubmit:
		h.changed = true
		for _, p := range rec.Partitions {
			h.asked[p] = true
		}
	case KindMoved:
		for _, p := range rec.Partitions {
			h.moved[p] = true
		}
	case KindArrived:
		h.arrived = rec.N
		h.arrivals++
	}
}

// addPlan takes a plan in. What an earlier one wanted of a partition that is
// in none since is kept: its move may still be in flight.
func (h *history) addPlan(part PlanPart) {
	if part.Round != h.rounds {
		h.rounds = part.Round
		clear(h.left)
	}
	for _, m := range part.Moves {
		if part.Round == 1 {
			h.first = append(h.first, m.move())
		}
		h.moves[m.Partition] = m.move()
		delete(h.moved, m.Partition)
	}
	for _, p := range part.Left {
		h.left[p] = true
	}
}

func (h *history) addDebt(rec Record) {
	switch rec.Kind {
	case KindOwe:
		h.changed = true
		h.book.Owe(*rec.Debt)
	case KindPaid:
		h.book.Paid(*rec.Debt)
		if rec.Debt.Key == reassign.CordonedDirs {
			h.lifted[rec.Debt.Resource.Broker()] = rec.N
		}
	}
}

// own are the moves that were asked for and not seen complete, in order.
func (h *history) own() []plan.Move {
	var own []plan.Move
	for p, m := range h.moves {
		if h.asked[p] && !h.moved[p] {
			own = append(own, m)
		}
	}
	slices.SortFunc(own, func(a, b plan.Move) int { return a.Compare(b.TopicPartition) })
	return own
}

// cordons are the debts of cordons, others all the rest.
func (h *history) cordons() (cordons, others []reassign.Debt) {
	for _, d := range h.book.Open() {
		if d.Key == reassign.CordonedDirs {
			cordons = append(cordons, d)
		} else {
			others = append(others, d)
		}
	}
	return cordons, others
}
