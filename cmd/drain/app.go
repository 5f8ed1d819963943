package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"drain/executor"
	"drain/plan"
)

// verb is one command of the program. It becomes a cli.Command in app.
type verb struct {
	name, args, usage string
	hidden            bool
	keys              keyChoice
	flags             []cli.Flag
	most              int      // arguments at most
	formats           []string // of --output, text by default; nil: text, json
	streams           bool     // prints events, the last of which tells the exit code
	act               func(ctx context.Context, s *session) error
}

// outputs are the formats that the verb can print its result in.
func (v verb) outputs() []string {
	if v.formats == nil {
		return []string{"text", "json"}
	}
	return v.formats
}

// verbs are all commands, in the order of --help.
func verbs() []verb {
	return []verb{
		runVerb(), planVerb(), checkVerb(), diagnoseVerb(),
		statusVerb(), cancelVerb(), cleanupVerb(), throttleVerb(), approveVerb(), restoreVerb(), rehearseVerb(),
		snapshotVerb(), initVerb(), validateVerb(), schemaVerb(), completionVerb(), versionVerb(),
		simulatedStopVerb(),
	}
}

// run carries out one command line. What is wrong with the line itself is a
// usageError, whoever found it.
func (s system) run(ctx context.Context, argv []string) error {
	app := s.app()
	words, err := reorder(argv, flagsOf(app))
	if err != nil {
		return err
	}
	if err := verbOf(app, words); err != nil {
		return err
	}
	return app.RunContext(ctx, words)
}

// verbOf refuses a verb that is none; the library would end the program with 3.
func verbOf(app *cli.App, words []string) error {
	if len(words) == 1 {
		app.Setup() // gives the help the name of the program
		cli.HelpPrinter(app.ErrWriter, cli.AppHelpTemplate, app)
		return usageError{"which verb?"}
	}
	name := words[1]
	if name == "help" || name == "h" { // of which verb? Its argument stands behind "--"
		if len(words) < 4 {
			return nil
		}
		name = words[3]
	}
	if strings.HasPrefix(name, "-") {
		return nil
	}
	known := map[string]bool{}
	for _, c := range app.Commands {
		if c.Name == name {
			return nil
		}
		if !c.Hidden {
			known[c.Name] = true
		}
	}
	return usageError{fmt.Sprintf("unknown verb %q%s", name, didYouMean("", name, known))}
}

func (s system) app() *cli.App {
	app := &cli.App{
		Name:  "drain",
		Usage: "take an Apache Kafka broker out of service without anyone noticing",
		Description: "It moves every replica off the broker under a throttle, proves that the offline election\n" +
			"after the stop leaves nothing leaderless, stops the broker, and confirms that the cluster holds.\n\n" +
			"Exit codes:\n" + exitMeanings,
		Version:                   version(),
		Reader:                    s.stdin,
		Writer:                    s.stdout,
		ErrWriter:                 s.stderr,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              refuseUsage,
		EnableBashCompletion:      true,
	}
	for _, v := range verbs() {
		app.Commands = append(app.Commands, s.command(v))
	}
	return app
}

// refuseUsage turns a complaint of the library into ours. Flags that no verb has
// were refused before, so one that it does not know is that of another verb.
func refuseUsage(c *cli.Context, err error, _ bool) error {
	if flag, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		name := c.Command.Name
		return usageError{fmt.Sprintf("drain %s has no flag --%s; drain %s --help lists those it has", name, flag, name)}
	}
	return usageError{err.Error()}
}

func (s system) command(v verb) *cli.Command {
	flags := append(globalFlags(v.outputs()), v.flags...)
	return &cli.Command{
		Name: v.name, Usage: v.usage, ArgsUsage: v.args, Hidden: v.hidden,
		Flags:        append(flags, keyFlags(v.keys)...),
		OnUsageError: refuseUsage,
		Action: func(c *cli.Context) error {
			session, err := s.session(c, v)
			if err != nil {
				return err
			}
			err = v.act(c.Context, session)
			session.endEarly(v, err)
			return err
		},
	}
}

// flagsOf tells reorder which flags there are, over all verbs.
func flagsOf(app *cli.App) takesValue {
	known := takesValue{"help": false, "h": false, "version": false, "v": false, "generate-bash-completion": false}
	for _, c := range app.Commands {
		for _, f := range c.Flags {
			_, isBool := f.(*cli.BoolFlag)
			for _, name := range f.Names() {
				known[name] = !isBool
			}
		}
	}
	return known
}

// complain prints why a call failed, for people.
func (s system) complain(err error) {
	if err == nil {
		return
	}
	if _, answered := errors.AsType[unsafeError](err); answered {
		return
	}
	io.WriteString(s.stderr, "drain: "+complaint(err)+"\n")
}

// complaint is the error without the findings of a run, which were printed as
// they were found.
func complaint(err error) string {
	var run runError
	var refusal *executor.Refusal
	if errors.As(err, &run) && errors.As(err, &refusal) {
		return refusal.Text + firstOf(refusal.Findings)
	}
	return err.Error()
}

// firstOf is the first finding that blocks, and how many stand beside it, for
// those who see the last line only.
func firstOf(findings []plan.Finding) string {
	blocked := plan.Blocking(findings)
	switch len(blocked) {
	case 0:
		return ""
	case 1:
		return " " + blocked[0].Message
	}
	return fmt.Sprintf(" %s (and %s, listed above)", blocked[0].Message, plan.Count(len(blocked)-1, "more finding", "more findings"))
}
