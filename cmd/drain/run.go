package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"drain/executor"
	"drain/executor/child"
	"drain/plan"
	"drain/runbooks"
)

func runVerb() verb {
	return verb{
		name: "run", args: "RUNBOOK.yaml", most: 1, keys: allKeys,
		usage: "the whole: check, cordon, move, verify, stop, confirm; resumes by itself what was interrupted",
		flags: []cli.Flag{
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "ask nothing"},
			&cli.BoolFlag{Name: "dry-run", Usage: "print what would be sent and run; change nothing"},
		},
		act: run,
	}
}

func run(ctx context.Context, s *session) error {
	rb, path, err := s.readRunbook()
	if err != nil {
		return err
	}
	t, err := s.dial(ctx, rb)
	if err != nil {
		return err
	}
	defer t.close()
	if s.flags.Bool("dry-run") {
		return s.dryRun(ctx, t, rb)
	}
	if err := s.playIncident(ctx, t, rb); err != nil {
		return err
	}
	out, end := s.events()
	cfg := s.config(t, rb, path)
	cfg.Sink = out
	done, err := executor.Run(ctx, cfg)
	out.close()
	if err != nil {
		err = runError{usageOf(err), done}
	}
	end(done, err)
	return err
}

// events are the sink of a run, and what is printed last. Text goes to stderr,
// so that stdout holds the result; JSON events are the result.
func (s *session) events() (*sink, func(executor.Done, error)) {
	if s.output == "json" {
		j := newJSONEvents(s.stdout)
		return newSink(j), func(done executor.Done, err error) { j.end(time.Now(), done, err) }
	}
	text := &textEvents{w: s.stderr, terminal: s.isTerminal(s.stderr), paint: s.paint}
	return newSink(text), func(done executor.Done, err error) { writeEnd(s.stdout, done, err) }
}

// writeEnd is the result of a run in one line; what went wrong is on stderr.
func writeEnd(w io.Writer, done executor.Done, err error) {
	switch {
	case err != nil:
		return
	case len(done.Stopped) > 0:
		fmt.Fprintf(w, "%s drained and stopped; the cluster holds.\n", sentence(done.Stopped))
	default:
		fmt.Fprintln(w, "Done.")
	}
}

// sentence begins one with brokers.
func sentence(ids []int32) string {
	if len(ids) == 1 {
		return fmt.Sprintf("Broker %d is", ids[0])
	}
	return "B" + brokerList(ids)[1:] + " are"
}

// config wires the ports of a run.
func (s *session) config(t *target, rb runbooks.Runbook, path string) executor.Config {
	self, _ := os.Executable()
	cfg := executor.Config{
		Runbook: rb, Path: path, Who: who(), Drain: self,
		StateDir: s.stateDir(), LockDir: lockDir(),
		Yes:      s.flags.Bool("yes"),
		Observer: observer{t.Client}, Watcher: t.Client, Logs: t.Client, Configs: t.Client, Registry: t.Client,
		NewMover: newMover(t.Client, rb), Runner: child.Runner{},
		Confirmer: confirmer{s},
		Plan:      plan.Compute, Dial: dialTCP, Log: s.log,
	}
	if t.sim != nil {
		cfg.Simulated = t.sim.ControlAddr()
		cfg.StateDir, cfg.LockDir = filepath.Join(t.sim.TempDir(), "state"), ""
	}
	return cfg
}

// who is the person and the host, for the audit trail.
func who() string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if by := os.Getenv("SUDO_USER"); by != "" {
		name = by + " (as " + name + ")"
	}
	host, err := os.Hostname()
	if err != nil {
		return name
	}
	return name + "@" + host
}

// lockDir is one folder for all users of the host, since two drains of one
// broker must see each other whoever starts them.
func lockDir() string { return filepath.Join(os.TempDir(), "drain-locks") }

// dryRun prints what a run would do.
func (s *session) dryRun(ctx context.Context, t *target, rb runbooks.Runbook) error {
	cluster, err := t.snapshot(ctx, rb.Brokers)
	if err != nil {
		return err
	}
	p, err := plan.Compute(cluster, requestOf(rb))
	if err != nil {
		return usageOf(err)
	}
	if err := s.writePlan(cluster, p); err != nil {
		return err
	}
	if s.output == "text" {
		if err := writeDrySteps(s.stdout, rb, cluster); err != nil {
			return err
		}
	}
	if len(p.Blocked()) > 0 {
		return unsafeError{}
	}
	return nil
}

// confirmer asks at the terminal.
type confirmer struct{ *session }

// Ask prints the question and reads a line. Without a terminal there is nobody.
func (c confirmer) Ask(ctx context.Context, question string) (executor.Answer, error) {
	if !c.isTerminal(c.stdin) {
		return executor.Answer{}, executor.ErrNobody
	}
	fmt.Fprintf(c.stderr, "%s [y/N] ", question)
	line, err := readLine(ctx, c.stdin)
	switch {
	case errors.Is(err, io.EOF):
		return executor.Answer{}, executor.ErrNobody
	case err != nil:
		return executor.Answer{}, err
	case line == "y" || line == "Y" || line == "yes":
		return executor.Answer{Who: who(), How: "terminal"}, nil
	}
	return executor.Answer{}, executor.ErrDeclined
}
