package executor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"drain/plan"
	"drain/runbooks"
)

func newHeader(cfg Config, c *plan.Cluster, id string) Header {
	rb := cfg.Runbook
	stopless := rb
	stopless.Stop.Command, stopless.Stop.Probe, stopless.Stop.Timeout = nil, nil, 0
	return Header{
		Version: JournalVersion, Run: id, Cluster: c.ID, Brokers: rb.Brokers,
		Plan: planHash(rb, cfg.Made), Moves: planHash(stopless, cfg.Made), Reach: reachable(c, rb.Brokers),
		Runbook: cfg.Path, Who: cfg.Who, Reason: rb.Reason, PID: os.Getpid(), Settings: settings(rb),
	}
}

// mostReach is how many addresses a header keeps: enough that one of them answers.
const mostReach = 8

// reachable are addresses of brokers that are up and stay.
func reachable(c *plan.Cluster, drained []int32) []string {
	var all []string
	for _, b := range c.Brokers {
		if b.Live() && b.Host != "" && !slices.Contains(drained, b.ID) && len(all) < mostReach {
			all = append(all, b.Address())
		}
	}
	return all
}

// Reachable is what the journal of a runbook knows of the way to its cluster: the
// cluster's id, and addresses of brokers that were up and not drained when it was
// last taken up; none where there is no journal.
func Reachable(files Files) (cluster string, addresses []string, err error) {
	records, err := Peek(files)
	for _, rec := range records {
		if rec.Header != nil {
			cluster, addresses = rec.Header.Cluster, rec.Header.Reach
		}
	}
	return cluster, addresses, err
}

// planHash tells runbooks apart that would not move and stop alike, and plans
// made before.
func planHash(rb runbooks.Runbook, made Made) string {
	sum := sha256.Sum256(append(rb.Deciding(), made.Hash...))
	return hex.EncodeToString(sum[:16])
}

// settings are what may change between runs: it is written down and used.
func settings(rb runbooks.Runbook) map[string]string {
	s := map[string]string{
		"throttle":             rate(throttleOf(rb)),
		"maxInFlight":          fmt.Sprint(rb.MaxInFlight),
		"maxInFlightPerBroker": fmt.Sprint(rb.MaxInFlightPerBroker),
		"poll":                 rb.Poll.String(),
		"stallAfter":           rb.StallAfter.String(),
		"deadline":             rb.Deadline.String(),
		"confirm":              rb.Confirm.String(),
		"acceptRisks":          strings.Join(rb.AcceptRisks, " "),
		"acceptExitCodes":      fmt.Sprint(rb.Stop.AcceptExitCodes),
		"window":               windowText(rb),
	}
	if len(rb.Stop.Command) > 0 {
		s["stopCommand"] = fmt.Sprintf("%q", rb.Stop.Command)
	}
	return s
}

func windowText(rb runbooks.Runbook) string {
	if rb.Window == nil {
		return "none"
	}
	return fmt.Sprintf("%v %v %v, %s", rb.Window.Days, rb.Window.Hours, rb.Window.Zone, rb.WindowEnd)
}

func throttleOf(rb runbooks.Runbook) int64 {
	if rb.Throttle.None {
		return 0
	}
	return rb.Throttle.BytesPerSec
}

// rate is bytes a second as a runbook writes them.
func rate(bytesPerSec int64) string {
	return runbooks.Throttle{BytesPerSec: bytesPerSec, None: bytesPerSec == 0}.String()
}

// changedSettings names what is not as the process before had it. What that one
// did not write down is not known to differ.
func changedSettings(was, now map[string]string) string {
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if before, known := was[name]; known && before != now[name] {
			changed = append(changed, fmt.Sprintf("%s is now %s", name, now[name]))
		}
	}
	if len(changed) == 0 {
		return ""
	}
	return "; " + strings.Join(changed, ", ")
}

// sameClusterAs is nil if a journal is about this cluster.
func sameClusterAs(was Header, c *plan.Cluster, j *Journal) error {
	if c.ID != was.Cluster {
		return fmt.Errorf("%w: %s is about cluster %s, and this is %s", ErrJournal, j.Path(), was.Cluster, c.ID)
	}
	return nil
}

// sameRun is nil if this run may be gone on with by a process that has such a
// header; else it tells the way out.
func (h *history) sameRun(now Header, c *plan.Cluster) error {
	was, way := h.header, h.wayOut()
	switch {
	case was.Verb != now.Verb:
		return fmt.Errorf("a %s is open; end it with `drain %s`, or `drain cancel` it", was.Verb, was.Verb)
	case was.Cluster != now.Cluster:
		return fmt.Errorf("it is open and belongs to cluster %s, this one is %s%s", was.Cluster, now.Cluster, way)
	case !slices.Equal(was.Brokers, now.Brokers):
		return fmt.Errorf("it is open and drains %s, this runbook drains %s%s", plan.BrokerNames(was.Brokers), plan.BrokerNames(now.Brokers), way)
	case was.Plan == now.Plan || was.Moves != "" && was.Moves == now.Moves && h.stopsOver(c):
		return nil
	}
	return fmt.Errorf("it is open, and what decides the moves and the stop (the runbook, or the plan of --plan) was changed since it was begun%s", way)
}

// wayOut is what can be done about a run that this runbook is not of. One whose
// stop is in the balance is not tidied away: see tidy.
func (h *history) wayOut() string {
	if len(h.stopsBegun()) > len(h.stopped()) {
		return "; its stop was begun and not seen to its end: go on with the runbook and the plan as they were" + h.oldStop()
	}
	return "; go on with the runbook and the plan as they were, or give its settings back with `drain cleanup` first"
}

// oldStop names the command of a stop that is in the balance.
func (h *history) oldStop() string {
	if command := h.settings["stopCommand"]; command != "" {
		return ", with stop.command " + command
	}
	return ""
}

// stopsOver says that every broker has left, by a stop that was issued: no stop
// command will be run any more, so that another one is as good.
func (h *history) stopsOver(c *plan.Cluster) bool {
	over := append(h.stopped(), h.stopsFailed()...)
	for _, b := range h.header.Brokers {
		if c.Live(b) || !slices.Contains(over, b) {
			return false
		}
	}
	return true
}

// alreadyStopped says that the run before, now ended, stopped these brokers of
// this cluster, and that they are gone and in no replica list.
func alreadyStopped(before []Record, now Header, c *plan.Cluster) bool {
	if len(before) == 0 || before[0].Header.Cluster != now.Cluster || !slices.Equal(before[0].Header.Brokers, now.Brokers) {
		return false
	}
	stopped := fold(before).stopped()
	for _, b := range now.Brokers {
		if !slices.Contains(stopped, b) || c.Live(b) || listed(c, b) {
			return false
		}
	}
	return true
}

// listed says that the broker is in a replica list.
func listed(c *plan.Cluster, broker int32) bool {
	for i := range c.NumPartitions() {
		if c.Partition(i).Holds(broker) {
			return true
		}
	}
	return false
}
