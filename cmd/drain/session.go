package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"drain/executor"
	"drain/runbooks"
)

// session is one call of a verb: its command line, and what surrounds it.
type session struct {
	system
	flags  *cli.Context
	keys   []runbooks.Flag // runbook keys given as flags
	output string          // text, json, or a verb's own
	log    *slog.Logger
	paint  painter // for stderr
}

func (s system) session(c *cli.Context, v verb) (*session, error) {
	if c.NArg() > v.most {
		return nil, usageError{fmt.Sprintf("%s takes %s: %q is too many", v.name, argumentsOf(v), c.Args().Get(v.most))}
	}
	if err := oneCluster(c); err != nil {
		return nil, err
	}
	level, err := wordFlag(c, "log-level", "warn", "debug", "info", "warn", "error")
	if err != nil {
		return nil, err
	}
	out := &session{system: s, flags: c, keys: givenKeys(c, v.keys), log: s.logger(level)}
	out.paint = painter(s.isTerminal(s.stderr) && !c.Bool("no-color") && s.env("NO_COLOR") == "")
	out.output, err = wordFlag(c, "output", "text", v.outputs()...)
	return out, err
}

// oneCluster refuses flags that name the cluster more than once, each of which
// would beat that of a runbook.
func oneCluster(c *cli.Context) error {
	var given []string
	for _, name := range []string{"bootstrap", "simulated", "snapshot"} {
		if c.IsSet(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) > 1 {
		return usageError{fmt.Sprintf("which cluster? %s name one each: give one of them", strings.Join(given, " and "))}
	}
	return nil
}

func argumentsOf(v verb) string {
	if v.args == "" {
		return "no arguments"
	}
	return v.args
}

func (s system) logger(level string) *slog.Logger {
	var l slog.Level
	l.UnmarshalText([]byte(level)) // checked by the caller
	return slog.New(slog.NewTextHandler(s.stderr, &slog.HandlerOptions{Level: l}))
}

// stateDir is where journals lie.
func (s *session) stateDir() string {
	if dir := s.flags.String("state-dir"); dir != "" {
		return dir
	}
	return s.defaultStateDir()
}

// runbookPath is the argument, made absolute.
func (s *session) runbookPath() (string, error) {
	name := s.flags.Args().First()
	if name == "" {
		return "", usageError{s.flags.Command.Name + " needs a runbook: drain " + s.flags.Command.Name + " RUNBOOK.yaml"}
	}
	return filepath.Abs(name)
}

// readRunbook reads the runbook of the argument with the flags laid over it. The
// path is told with every error that is about the file.
func (s *session) readRunbook() (runbooks.Runbook, string, error) {
	path, err := s.runbookPath()
	if err != nil {
		return runbooks.Runbook{}, "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return runbooks.Runbook{}, path, usageError{err.Error()}
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return runbooks.Runbook{}, path, usageError{path + " is a folder: name a runbook in it, such as " + filepath.Join(s.flags.Args().First(), "broker-1.yaml")}
	}
	rb, err := runbooks.ParseWith(f, s.getenv, runbooks.Options{Flags: s.keys})
	return rb, path, inFile(err, s.flags.Args().First())
}

// inFile names the file in what is wrong with a runbook.
func inFile(err error, file string) error {
	if all, ok := errors.AsType[runbooks.Errors](err); ok {
		return all.In(file)
	}
	return err
}

// request is the runbook of a verb that may do without a file: that of the
// argument, else what the flags say.
func (s *session) request() (runbooks.Runbook, error) {
	if s.flags.NArg() > 0 {
		rb, _, err := s.readRunbook()
		return rb, err
	}
	rb := runbooks.Defaults()
	for _, f := range s.keys {
		if err := rb.Set(f.Key, f.Values...); err != nil {
			return rb, err
		}
	}
	if bootstrap := s.env("DRAIN_BOOTSTRAP"); bootstrap != "" && len(rb.Cluster.Bootstrap) == 0 && rb.Cluster.Simulated == "" {
		if err := rb.Set("cluster.bootstrap", bootstrap); err != nil {
			return rb, err
		}
	}
	return rb, rb.ValidateCluster()
}

// endEarly ends the stream of events of a verb that came to no run, so that a
// program which reads it finds the exit code there as always.
func (s *session) endEarly(v verb, err error) {
	var run runError
	if err == nil || !v.streams || s.output != "json" || s.flags.Bool("dry-run") || errors.As(err, &run) {
		return
	}
	newJSONEvents(s.stdout).end(time.Now(), executor.Done{}, err)
}
