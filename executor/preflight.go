package executor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drain/plan"
	"drain/runbooks"
)

// preflight is what is asked before the first change, beside the findings of
// the plan itself. It is pure.
type preflight struct {
	runbook  runbooks.Runbook
	brokers  []int32 // still to be drained
	cluster  *plan.Cluster
	plan     plan.Plan
	draining []holder
	rate     int64 // bytes a second; 0: none
	now      time.Time
}

// preflights are the checks. All are made, and each tells all that it finds.
var preflights = []func(preflight) []plan.Finding{
	unboundStop, unfitCommands, nobodyToTell, otherDrains, clockSkew, windowTooShort, moveTooLong, deadlineTooShort,
}

func (p preflight) findings() []plan.Finding {
	all := slices.Clone(p.plan.Findings)
	for _, check := range preflights {
		all = append(all, check(p)...)
	}
	all = plan.Soften(all, p.runbook.AcceptRisks)
	slices.SortStableFunc(all, plan.CompareFindings)
	return all
}

// unboundStop keeps a copied runbook from stopping somebody else.
func unboundStop(p preflight) []plan.Finding {
	if !p.runbook.Has(runbooks.Stop) {
		return nil
	}
	hosts := map[int32]string{}
	for _, b := range p.cluster.Brokers {
		hosts[b.ID] = b.Host
	}
	var all []plan.Finding
	for _, id := range p.brokers {
		rest := map[int32]string{}
		for other, host := range hosts {
			if other != id {
				rest[other] = host
			}
		}
		if err := runbooks.Bound(p.runbook.Stop.Command, id, hosts[id], rest, len(p.runbook.Brokers) > 1); err != nil {
			all = append(all, plan.Finding{Level: plan.Block, Risk: "unbound-stop", Partition: none, Broker: id, Message: err.Error(),
				Remedy: "bind the command to the broker"})
		}
	}
	return all
}

// unfitCommands are commands that cannot be made ready for a broker: a host or
// rack that it does not tell, or one that would become an option of the command;
// and those that are run once for several brokers and name one.
func unfitCommands(p preflight) []plan.Finding {
	var all []plan.Finding
	for _, id := range p.brokers {
		for _, argv := range [][]string{p.runbook.Stop.Command, p.runbook.Stop.Probe} {
			b, _ := p.cluster.Broker(id)
			if _, err := runbooks.Expand(argv, runbooks.Placeholders{Broker: id, Host: b.Host, Rack: b.Rack, Drain: "drain"}); err != nil {
				all = append(all, plan.Finding{Level: plan.Block, Partition: none, Broker: id, Message: err.Error(), Remedy: "write the value into the command"})
			}
		}
	}
	for _, s := range slotsOf(p.runbook) {
		run := p.runbook.Steps[s.Step-1].Run
		if run == nil || s.Broker != none || len(p.runbook.Brokers) == 1 || !namesBroker(run.Command) {
			continue
		}
		all = append(all, plan.Finding{Level: plan.Block, Partition: none, Broker: none,
			Message: fmt.Sprintf("command %q is run once for all brokers and names one", run.Name),
			Remedy:  "use DRAIN_BROKER, or put the step between stop and confirm, where it is run for each"})
	}
	return all
}

func namesBroker(argv []string) bool {
	return slices.ContainsFunc(argv, func(arg string) bool {
		return strings.Contains(arg, "{broker}") || strings.Contains(arg, "{host}") || strings.Contains(arg, "{rack}")
	})
}

// nobodyToTell keeps a run from a stop that nobody would see.
func nobodyToTell(p preflight) []plan.Finding {
	if !p.runbook.Has(runbooks.Stop) {
		return nil
	}
	return witnessless(p.cluster, p.runbook.Brokers)
}

func otherDrains(p preflight) []plan.Finding {
	var all []plan.Finding
	for _, by := range p.draining {
		all = append(all, plan.Finding{Level: plan.Warn, Risk: "another-drain", Partition: none, Broker: by.Broker,
			Message: fmt.Sprintf("broker %d is being drained by another run on this host (%s, pid %d)", by.Broker, by.Runbook, by.PID),
			Remedy:  "it receives nothing from this run"})
	}
	return all
}
