package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"drain/runbooks"
)

// keyChoice says which keys of the runbook a verb takes as flags.
type keyChoice uint8

const (
	noKeys      keyChoice = iota
	clusterKeys           // how to reach a cluster, and which broker of it
	allKeys
)

func (k keyChoice) takes(key runbooks.Key) bool {
	switch {
	case key.Flag == "" || k == noKeys:
		return false
	case k == clusterKeys:
		return strings.HasPrefix(key.Path, "cluster.") || key.Path == "brokers"
	}
	return true
}

// globalFlags are taken by every verb, whose result has these formats.
func globalFlags(formats []string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Usage: "`FORMAT` of the result: " + strings.Join(formats, ", ")},
		&cli.StringFlag{Name: "log-level", Value: "warn", Usage: "`LEVEL` of the log on stderr: debug, info, warn, error"},
		&cli.BoolFlag{Name: "no-color", Usage: "print without colours (also NO_COLOR)"},
		&cli.StringFlag{Name: "state-dir", Usage: "`FOLDER` of the journals (also DRAIN_STATE_DIR)"},
	}
}

// runbookKeys is the runbook's own table of keys, made once: every verb makes its
// flags of it, which was a third of the time to start.
var runbookKeys = sync.OnceValue(runbooks.Keys)

// keyFlags are the flags of the runbook's keys.
func keyFlags(choice keyChoice) []cli.Flag {
	var flags []cli.Flag
	for _, key := range runbookKeys() {
		if !choice.takes(key) {
			continue
		}
		usage := strings.ReplaceAll(key.Doc, "`", "") // which the library would take for the name of the value
		if key.Default != "" {
			usage += fmt.Sprintf(" (default %s)", key.Default)
		}
		if key.Repeated {
			flags = append(flags, &cli.StringSliceFlag{Name: key.Flag, Usage: usage})
		} else {
			flags = append(flags, &cli.StringFlag{Name: key.Flag, Usage: usage})
		}
	}
	return flags
}

// givenKeys collects the runbook's keys that were given as flags.
func givenKeys(c *cli.Context, choice keyChoice) []runbooks.Flag {
	var given []runbooks.Flag
	for _, key := range runbookKeys() {
		if !choice.takes(key) || !c.IsSet(key.Flag) {
			continue
		}
		values := []string{c.String(key.Flag)}
		if key.Repeated {
			values = c.StringSlice(key.Flag)
		}
		given = append(given, runbooks.Flag{Key: key.Path, Values: values})
	}
	return given
}

// wordFlag is the value of a flag that has only a few, checked.
func wordFlag(c *cli.Context, name, fallback string, words ...string) (string, error) {
	value := c.String(name)
	if value == "" {
		return fallback, nil
	}
	if !slices.Contains(words, value) {
		return "", usageError{fmt.Sprintf("--%s %s: not one of %s", name, value, strings.Join(words, ", "))}
	}
	return value, nil
}
