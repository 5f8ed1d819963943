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
		name: "run", streams: true, args: "RUNBOOK.yaml", most: 1, keys: allKeys,
		usage: "the whole: check, cordon, move, verify, stop, confirm; resumes by itself what was interrupted",
		flags: []cli.Flag{
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "ask nothing"},
			&cli.BoolFlag{Name: "dry-run", Usage: "print what would be sent and run; change nothing"},
			&cli.BoolFlag{Name: "all", Usage: "with --dry-run: list every move, not only the first of each group"},
			planFlag(),
		},
		act: run,
	}
}

func run(ctx context.Context, s *session) error {
	rb, path, err := s.readRunbook()
	if err != nil {
		return err
	}
	made, err := s.madePlan()
	if err != nil {
		return err
	}
	t, err := s.redial(ctx, rb, path)
	if err != nil {
		return err
	}
	defer t.close()
	cfg := made.config(s.config(t, rb, path))
	if s.flags.Bool("dry-run") {
		return s.dryRun(ctx, cfg)
	}
	if err := s.playIncident(ctx, t, rb); err != nil {
		return err
	}
	return s.carry(cfg, func(cfg executor.Config) (executor.Done, error) { return executor.Run(ctx, cfg) }, writeEnd)
}

// carry lets the executor act, prints what happens, and then how it ended.
func (s *session) carry(cfg executor.Config, act func(executor.Config) (executor.Done, error), result func(io.Writer, executor.Done)) error {
	var lines *jsonEvents
	var r renderer = &textEvents{w: s.stderr, terminal: s.isTerminal(s.stderr), paint: s.paint}
	patience := forPeople
	if s.output == "json" {
		lines = newJSONEvents(s.stdout)
		r, patience = lines, forPrograms
	}
	out := newSink(r, patience)
	cfg.Sink = out
	done, err := act(cfg)
	out.close()
	if err != nil {
		err = runError{usageOf(err), done}
	}
	switch {
	case lines != nil:
		lines.end(time.Now(), done, err)
	case err == nil:
		result(s.stdout, done)
	}
	return err
}

// writeEnd is the result of a run in one line.
func writeEnd(w io.Writer, done executor.Done) {
	if len(done.Stopped) == 0 {
		fmt.Fprintln(w, "Done.")
		return
	}
	fmt.Fprintf(w, "%s drained and stopped; the cluster holds.\n", sentence(done.Stopped))
}

// sentence begins one with brokers.
func sentence(ids []int32) string {
	return "B" + downText(ids)[1:]
}

// config wires the ports of a run.
func (s *session) config(t *target, rb runbooks.Runbook, path string) executor.Config {
	self, _ := os.Executable()
	cfg := executor.Config{
		Runbook: rb, Path: path, Who: who(), Drain: self,
		StateDir: s.stateDir(), LockDir: s.lockDir(),
		Yes:      s.flags.Bool("yes"),
		Observer: t.Client, Watcher: t.Client, Logs: t.Client, Configs: t.Client, Registry: t.Client,
		NewMover: executor.Driving(t.Ports()), Mode: t.Mode(), Runner: child.Runner{},
		Confirmer: confirmer{s, &lines{r: s.stdin}},
		Plan:      plan.ComputeNaming, Dial: dialTCP, Log: s.log,
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
// broker must see each other whoever starts them: DRAIN_LOCK_DIR, else the
// host's folder for locks, else the one for temporary files.
func (s system) lockDir() string {
	if dir := s.env("DRAIN_LOCK_DIR"); dir != "" {
		return dir
	}
	for _, parent := range []string{"/run/lock", "/var/lock"} {
		if info, err := os.Stat(parent); err == nil && info.IsDir() && info.Mode()&0o002 != 0 {
			return filepath.Join(parent, "drain")
		}
	}
	return filepath.Join(os.TempDir(), "drain-locks")
}

// dryRun prints what a run would do.
func (s *session) dryRun(ctx context.Context, cfg executor.Config) error {
	a, err := executor.Assess(ctx, cfg)
	if err != nil {
		return usageOf(err)
	}
	p := a.Plan
	p.Findings = a.Findings
	if err := s.writePlan(a.Cluster, p); err != nil {
		return err
	}
	if s.output == "text" {
		if a.Fit != "" {
			fmt.Fprintf(s.stdout, "\n%s\n", a.Fit)
		}
		if err := writeDrySteps(s.stdout, cfg.Runbook, a.Cluster); err != nil {
			return err
		}
	}
	if len(p.Blocked()) > 0 {
		return unsafeError{}
	}
	return nil
}

// confirmer asks at the terminal.
type confirmer struct {
	*session
	lines *lines
}

// Ask prints the question and reads a line. Without a terminal there is nobody.
func (c confirmer) Ask(ctx context.Context, question string) (executor.Answer, error) {
	if !c.isTerminal(c.stdin) {
		return executor.Answer{}, executor.ErrNobody
	}
	fmt.Fprintf(c.stderr, "%s [y/N] ", question)
	line, err := c.lines.read(ctx)
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
