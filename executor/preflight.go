package executor

import (
	"fmt"
	"net"
	"slices"

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
}

// preflights are the checks. All are made, and each tells all that it finds.
var preflights = []func(preflight) []plan.Finding{
	partlyRead, unboundStop, quorumLost, sharedHost, otherDrains,
}

func (p preflight) findings() []plan.Finding {
	all := slices.Clone(p.plan.Findings)
	for _, check := range preflights {
		for _, f := range check(p) {
			if !slices.ContainsFunc(all, func(have plan.Finding) bool { return sameSubject(have, f) }) {
				all = append(all, f)
			}
		}
	}
	all = soften(all, p.runbook.AcceptRisks)
	slices.SortFunc(all, plan.CompareFindings)
	return all
}

// sameSubject says that the planner has found the same already.
func sameSubject(a, b plan.Finding) bool {
	return a.Risk != "" && a.Risk == b.Risk && a.Topic == b.Topic && a.Partition == b.Partition && a.Broker == b.Broker ||
		a.Message == b.Message
}

func partlyRead(p preflight) []plan.Finding { return p.cluster.Notes }

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

func quorumLost(p preflight) []plan.Finding {
	if f := quorumWithout(p.cluster, p.brokers); f != nil {
		return []plan.Finding{*f}
	}
	return nil
}

// sharedHost names what a stop by host would take along: other brokers, and
// voters whose loss would cost the majority. A loopback address tells nothing
// about hosts.
func sharedHost(p preflight) []plan.Finding {
	var all []plan.Finding
	for _, id := range p.brokers {
		b, ok := p.cluster.Broker(id)
		if !ok || b.Host == "" || loopback(b.Host) {
			continue
		}
		for _, other := range p.cluster.Brokers {
			if other.ID != id && other.Host == b.Host {
				all = append(all, plan.Finding{Level: plan.Warn, Risk: "shared-host", Partition: none, Broker: id,
					Message: fmt.Sprintf("broker %d is on the host of broker %d (%s): a command that stops every Kafka there stops it too", other.ID, id, b.Host),
					Remedy:  "make sure that the stop command is about one broker"})
			}
		}
		all = append(all, sharedVoters(p, b)...)
	}
	return all
}

func sharedVoters(p preflight, b plan.Broker) []plan.Finding {
	if p.cluster.Quorum == nil {
		return nil
	}
	gone := []int32{b.ID}
	for _, v := range p.cluster.Quorum.Voters {
		if v.Host == b.Host && v.ID != b.ID {
			gone = append(gone, v.ID)
		}
	}
	f := quorumWithout(p.cluster, gone)
	if len(gone) == 1 || f == nil {
		return nil
	}
	f.Risk, f.Message = "shared-host", fmt.Sprintf("voters on the host of broker %d (%s) may be stopped with it: %s", b.ID, b.Host, f.Message)
	return []plan.Finding{*f}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
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
