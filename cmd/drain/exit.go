package main

import (
	"context"
	"errors"

	"drain/executor"
	"drain/internal/kafka"
	"drain/plan"
	"drain/runbooks"
)

// The exit codes that scheduled jobs live by. 2 is never chosen: a Go panic
// exits with it.
const (
	exitDone        = 0
	exitUnexpected  = 1
	exitUnsafe      = 3
	exitUsage       = 4
	exitBlocked     = 5
	exitJournal     = 6
	exitStop        = 7
	exitInterrupted = 130
)

// exitMeanings is the table of --help and of the README.
const exitMeanings = `   0    done (also: nothing to do, "already stopped")
   1    unexpected; the cluster could not be reached, before any change
   3    refused as unsafe, and nothing was changed
   4    usage, or an invalid runbook
   5    blocked, stalled, past its deadline, or a setting that cannot be given back:
        something may have been changed, the stop was not issued
   6    an open journal is locked or damaged, or belongs to another cluster, broker or plan
   7    the stop was issued and failed, or the cluster afterwards is worse than proven
   130  interrupted by a person, in the watch after a stop that went well too;
        the same command resumes`

// usageError is a command line that cannot be carried out.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// unsafeError says that the answer was given on stdout, and is no.
type unsafeError struct{}

func (unsafeError) Error() string { return "unsafe" }

// owedError says that the answer was given on stdout, and that settings are owed.
type owedError struct{ giver string }

func (e owedError) Error() string {
	return "settings are still owed: " + e.giver + " gives them back"
}

func (owedError) Unwrap() error { return executor.ErrDebt }

// runError is how a run ended, with what it had done by then.
type runError struct {
	error
	done executor.Done
}

func (e runError) Unwrap() error { return e.error }

// exitCode asks the journal first: what was done decides, then why it ended.
func exitCode(err error) int {
	var run runError
	did := executor.Done{}
	if errors.As(err, &run) {
		did = run.done
	}
	switch {
	case err == nil:
		return exitDone
	case did.StopBegun && !(did.Watching && interrupted(err)):
		return exitStop
	case interrupted(err):
		return exitInterrupted
	case did.Changed:
		return exitBlocked
	}
	return codeOfCause(err)
}

func interrupted(err error) bool {
	return errors.Is(err, executor.ErrInterrupted) || errors.Is(err, executor.ErrCancelled) ||
		errors.Is(err, context.Canceled)
}

// codeOfCause is the code of a failure before any change.
func codeOfCause(err error) int {
	var usage usageError
	var refused unsafeError
	var runbook *runbooks.Error
	var unknown *plan.UnknownBroker
	var invalid *plan.InvalidRequest
	switch {
	case errors.As(err, &usage), errors.As(err, &runbook), errors.Is(err, executor.ErrUsage), errors.Is(err, kafka.ErrOptions),
		errors.As(err, &unknown), errors.As(err, &invalid):
		return exitUsage
	case errors.As(err, &refused), errors.Is(err, executor.ErrRefused):
		return exitUnsafe
	case errors.Is(err, executor.ErrStop):
		return exitStop
	case errors.Is(err, executor.ErrBlocked), errors.Is(err, executor.ErrDeadline), errors.Is(err, executor.ErrDebt):
		return exitBlocked
	case errors.Is(err, executor.ErrJournal):
		return exitJournal
	}
	return exitUnexpected
}
