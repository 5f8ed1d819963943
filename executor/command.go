package executor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drain/executor/child"
	"drain/plan"
	"drain/runbooks"
)

// command is an argv of the runbook, made ready for one broker. Its environment
// tells the child about the run.
func (r *run) command(name string, argv []string, timeout time.Duration, c *plan.Cluster, broker int32) (child.Command, error) {
	h := r.history()
	at := h.target(c, broker)
	expanded, err := runbooks.Expand(argv, runbooks.Placeholders{Broker: broker, Host: at.Host, Rack: at.Rack, Drain: r.cfg.Drain})
	if err != nil {
		return child.Command{}, err
	}
	env := []string{"DRAIN_BROKER=" + fmt.Sprint(broker), "DRAIN_RUN=" + h.header.Run}
	if r.cfg.Simulated != "" {
		env = append(env, "DRAIN_SIMULATED="+r.cfg.Simulated)
	}
	return child.Command{
		Argv: expanded, Env: env, Mark: env[1], Timeout: timeout,
		Output: r.files.Output(h.header.Run, name, time.Now()),
		Line:   func(text string) { r.event(Event{Kind: EventOutput, Text: text}) },
	}, nil
}

// target is where a broker is, or was before it went down.
func (h *history) target(c *plan.Cluster, broker int32) Target {
	if b, _ := c.Broker(broker); b.Host != "" {
		return Target{Broker: broker, Host: b.Host, Rack: b.Rack}
	}
	i := slices.IndexFunc(h.targets, func(t Target) bool { return t.Broker == broker })
	if i < 0 {
		return Target{Broker: broker}
	}
	return h.targets[i]
}

// startedAs tells that a command runs.
func (r *run) startedAs(c child.Command) func(child.Process) {
	return func(p child.Process) {
		r.event(Event{Kind: EventCommand, Argv: c.Argv, PID: p.PID, Text: strings.Join(c.Argv, " ")})
	}
}
