package main

import (
	"fmt"
	"slices"
	"strings"

	"drain/executor"
	"drain/plan"
	"drain/reassign"
)

// tally gathers the settings that are made, given back, and kept while replicas
// move, so that a move of a thousand partitions does not print thousands of them. Each
// is in the journal.
type tally struct {
	made, repaid, kept []reassign.Debt

	told bool // that there is a throttle; which brokers and topics come later is not
}

// take counts the event if it is about a throttle setting.
func (t *tally) take(ev executor.Event) bool {
	if ev.Move == nil || ev.Move.Debt == nil || ev.Move.Debt.Key == reassign.MinISR {
		return false
	}
	switch ev.Move.Kind {
	case reassign.Owed:
		t.made = append(t.made, *ev.Move.Debt)
	case reassign.Repaid:
		t.repaid = append(t.repaid, *ev.Move.Debt)
	case reassign.Kept:
		t.kept = append(t.kept, *ev.Move.Debt)
	default:
		return false
	}
	return true
}

// flush returns the lines for what was counted, and begins anew.
func (t *tally) flush() []string {
	var lines []string
	if len(t.made) > 0 && !t.told {
		lines = append(lines, "throttled "+ownersOf(t.made))
	}
	if len(t.repaid) > 0 {
		lines = append(lines, "gave back the throttle of "+ownersOf(t.repaid))
	}
	if len(t.kept) > 0 {
		lines = append(lines, "kept while Kafka copies: the throttle of "+ownersOf(t.kept))
	}
	*t = tally{told: t.told || len(t.made) > 0}
	return lines
}

// ownersOf names the brokers and topics of settings.
func ownersOf(debts []reassign.Debt) string {
	var brokers []int32
	var topics []string
	for _, d := range debts {
		if id := d.Resource.Broker(); id >= 0 {
			brokers = append(brokers, id)
		} else {
			topics = append(topics, d.Resource.Name)
		}
	}
	slices.Sort(brokers)
	slices.Sort(topics)
	brokers, topics = slices.Compact(brokers), slices.Compact(topics)
	var parts []string
	if len(brokers) > 0 {
		parts = append(parts, plan.BrokerNames(brokers))
	}
	if n := len(topics); n > named {
		parts = append(parts, fmt.Sprintf("%d topics", n))
	} else if n > 0 {
		parts = append(parts, "topics "+strings.Join(topics, ", "))
	}
	return strings.Join(parts, ", ")
}
