package executor

import (
	"context"
	"errors"
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

// errand is what a command is to the run.
type errand struct {
	name  string
	kind  error                           // of the error, where it cannot be started
	guard func(ctx context.Context) error // nil: nobody watches; its error ends the command at once
}

// issue runs a command whose begin is journalled, and journals its process and its
// end, which is nil if nobody saw it. An interrupt leaves the command alone: half a
// stop is worse than one, and its own time limit ends it.
func (r *run) issue(ctx context.Context, cmd child.Command, of errand) (*child.Exit, error) {
	running, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() { end(child.ErrLeave) })()
	unwatched := of.watch(running, end)
	var unrecorded error
	exit, err := r.cfg.Runner.Run(running, cmd, func(p child.Process) {
		r.startedAs(cmd)(p)
		unrecorded = r.append(Record{Kind: KindChild, Process: &p})
	})
	end(nil)
	<-unwatched
	if errors.Is(err, child.ErrLeave) {
		return nil, errors.Join(fmt.Errorf("%s runs on: %w", of.name, context.Cause(ctx)), unrecorded)
	}
	if err != nil {
		exit, err = child.Exit{Code: -1, Output: err.Error()}, fmt.Errorf("%w: %w", of.kind, err)
	}
	r.event(Event{Kind: EventExit, Exit: &exit, Text: of.name + " " + exit.String()})
	return &exit, errors.Join(unrecorded, r.append(Record{Kind: KindExit, Exit: &exit}), err)
}

// watch lets the guard look until the command has ended, and closes what it
// returns once that is over.
func (e errand) watch(running context.Context, end context.CancelCauseFunc) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		if e.guard == nil {
			return
		}
		if err := e.guard(running); err != nil {
			end(err)
		}
	}()
	return over
}
