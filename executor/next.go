package executor

import "drain/runbooks"

// What a run does beside the steps of its runbook.
const (
	observe runbooks.StepKind = "observe" // see how the cluster is before anything changes
	consent runbooks.StepKind = "consent" // ask a person
	finish  runbooks.StepKind = "finish"  // nothing is left to be done
)

// Action is what is to be done next. Again says that it was begun before and
// not seen to end.
type Action struct {
	Slot
	Again bool
}

// Next decides what a run does next, from its runbook and what its journal
// says. It is pure: every act is journalled, and Next asked again.
func Next(rb runbooks.Runbook, records []Record) Action {
	h := fold(records)
	if h.baseAt == 0 || h.baseline.more || !h.changed && h.baseAt < h.session {
		return Action{Slot: Slot{Kind: observe, Broker: none}}
	}
	slots := slotsOf(rb)
	for i, s := range slots {
		if h.settled(s, slots[i+1:]) {
			continue
		}
		if deed(s.Kind) && h.consent == 0 {
			return Action{Slot: Slot{Kind: consent, Broker: none}}
		}
		p := h.at(s)
		return Action{Slot: s, Again: p.begun > p.ended}
	}
	return Action{Slot: Slot{Kind: finish, Broker: none}}
}

// deed says that a step of this kind changes something. The others look, or
// ask.
func deed(kind runbooks.StepKind) bool {
	switch kind {
	case runbooks.Check, runbooks.Verify, runbooks.Confirm, runbooks.Approve:
		return false
	}
	return true
}

// settled says that a slot need not be taken (again); later are those after it.
func (h *history) settled(s Slot, later []Slot) bool {
	p := h.at(s)
	if p.ended == 0 {
		return false
	}
	switch s.Kind {
	case runbooks.Check, runbooks.Verify:
		// A look is made anew by each process that will act on its strength, and
		// a proof when its ground has changed. A stop that is in the balance
		// comes before everything else.
		stale := h.session
		if s.Kind == runbooks.Verify {
			stale = max(stale, h.arrived)
		}
		return p.ended > stale || h.inBalance(later) || !h.deedAhead(later)
	case runbooks.Cordon:
		return h.inBalance(later) || !h.openTooSoon(p.ended, later)
	case runbooks.Move:
		return p.ended > h.arrived || h.inBalance(later)
	}
	return true
}

// deedAhead says that one of the slots is a deed that was not done.
func (h *history) deedAhead(slots []Slot) bool {
	for _, s := range slots {
		if deed(s.Kind) && h.at(s).ended == 0 {
			return true
		}
	}
	return false
}

// openTooSoon says that a cordon was lifted since a record although what it is for
// is ahead: anything that is done for all brokers at once, or the stop of that very
// one. Before its stop the cordon of a broker that is to be unregistered is lifted
// for good.
func (h *history) openTooSoon(since int, slots []Slot) bool {
	for _, s := range slots {
		ahead := h.at(s).ended == 0 && deed(s.Kind)
		for broker, lifted := range h.lifted {
			if ahead && lifted > since && (s.Broker == none || s.Kind == runbooks.Stop && s.Broker == broker) {
				return true
			}
		}
	}
	return false
}

// inBalance says that among the slots is a stop that was begun, has not failed
// and is not proven: its broker was not seen gone, or not watched to its end.
func (h *history) inBalance(slots []Slot) bool {
	for i, s := range slots {
		if s.Kind == runbooks.Stop && h.unproven(s, slots[i+1:]) {
			return true
		}
	}
	return false
}

// unproven says of a stop that it was begun and not proven to have gone well.
// One that failed and left its broker running is over.
func (h *history) unproven(stop Slot, later []Slot) bool {
	p := h.at(stop)
	if p.acted == 0 || p.ended == 0 && p.over() {
		return false
	}
	if p.ended == 0 {
		return true
	}
	for _, s := range later {
		if s.Kind == runbooks.Confirm && s.Broker == stop.Broker {
			return h.at(s).ended == 0
		}
	}
	return false
}

// slotsOf lays the steps out. With several brokers everything from the stop to
// the last step that is about one broker is done for one after the other; what
// comes before and after is done once for all.
func slotsOf(rb runbooks.Runbook) []Slot {
	var slots []Slot
	for i := 0; i < len(rb.Steps); i++ {
		if !forEach(rb.Steps[i].Kind) {
			slots = append(slots, Slot{Step: i + 1, Kind: rb.Steps[i].Kind, Broker: none})
			continue
		}
		end := endOfGroup(rb.Steps, i)
		for _, broker := range rb.Brokers {
			for k := i; k < end; k++ {
				slots = append(slots, Slot{Step: k + 1, Kind: rb.Steps[k].Kind, Broker: broker})
			}
		}
		i = end - 1
	}
	return slots
}

// forEach says that a step of this kind is about one broker.
func forEach(kind runbooks.StepKind) bool {
	return kind == runbooks.Stop || kind == runbooks.Confirm || kind == runbooks.Unregister
}

// endOfGroup is the index after the last step that belongs to the one at i.
// What a person put between two of them (run, approve) goes with them.
func endOfGroup(steps []runbooks.Step, i int) int {
	end := i + 1
	for k := i + 1; k < len(steps); k++ {
		kind := steps[k].Kind
		if forEach(kind) {
			end = k + 1
		} else if kind != runbooks.Run && kind != runbooks.Approve {
			break
		}
	}
	return end
}
