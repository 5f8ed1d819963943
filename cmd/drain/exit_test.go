package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drain/executor"
	"drain/internal/kafka"
	"drain/plan"
	"drain/reassign"
	"drain/runbooks"
)

func TestExitCodeAsksTheJournalFirst(t *testing.T) {
	t.Parallel()
	stopped := executor.Done{Changed: true, StopBegun: true}
	watched := executor.Done{Changed: true, StopBegun: true, Watching: true}
	changed := executor.Done{Changed: true}
	for _, tc := range []struct {
		name string
		err  error
		want int
	}{
		{"nothing went wrong", nil, 0},
		{"a stop begun and failed", runError{executor.ErrStop, stopped}, 7},
		{"interrupted behind a stop that is in the balance", runError{executor.ErrInterrupted, stopped}, 7},
		{"interrupted in the watch after a stop that went well", runError{executor.ErrInterrupted, watched}, 130},
		{"no room for the journal in the watch", runError{errors.New("disk full"), watched}, 7},
		{"worse in the watch", runError{executor.ErrStop, watched}, 7},
		{"interrupted while moving", runError{executor.ErrInterrupted, changed}, 130},
		{"interrupted before any change", runError{context.Canceled, executor.Done{}}, 130},
		{"cancelled from another shell", runError{executor.ErrCancelled, changed}, 130},
		{"refused on a run that had changed something", runError{executor.ErrRefused, changed}, 5},
		{"a panic of the cluster after changes", runError{errors.New("boom"), changed}, 5},
		{"refused before any change", runError{&executor.Refusal{Kind: executor.ErrRefused}, executor.Done{}}, 3},
		{"a plan that answers no", unsafeError{}, 3},
		{"blocked, nothing changed", runError{executor.ErrBlocked, executor.Done{}}, 5},
		{"moves that a deletion holds up, nothing changed", runError{fmt.Errorf("%w: %w", executor.ErrBlocked, &reassign.DeletionError{}), executor.Done{}}, 5},
		{"past the deadline", executor.ErrDeadline, 5},
		{"a setting that is owed", executor.ErrDebt, 5},
		{"the journal of another run", fmt.Errorf("open: %w", executor.ErrJournal), 6},
		{"a runbook that is wrong", runbooks.Errors{{Line: 3, Message: "unknown key"}}, 4},
		{"a flag that is wrong", usageError{"unknown flag"}, 4},
		{"a broker that nobody knows", &plan.UnknownBroker{ID: 9}, 4},
		{"a cluster out of reach", fmt.Errorf("dial: %w", kafka.ErrUnreachable), 1},
		{"anything else", errors.New("boom"), 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := exitCode(tc.err); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

var codeInTable = regexp.MustCompile(`(?m)^(?:\| |   )([0-9]+)(?: \||  )`)

func codesIn(text string) []string {
	var codes []string
	for _, m := range codeInTable.FindAllStringSubmatch(text, -1) {
		codes = append(codes, m[1])
	}
	return codes
}

func TestHelpAndReadmeListTheExitCodes(t *testing.T) {
	t.Parallel()
	want := []string{"0", "1", "3", "4", "5", "6", "7", "130"}
	code, out, stderr := call(t, "--help")
	if code != 0 || stderr != "" {
		t.Fatalf("--help: exit %d, %s", code, stderr)
	}
	if got := codesIn(exitMeanings); !slices.Equal(got, want) {
		t.Errorf("the table has %v, want %v", got, want)
	}
	if !strings.Contains(out, "an open journal is locked") {
		t.Errorf("--help lacks the exit codes:\n%s", out)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := codesIn(string(readme)); !slices.Equal(got, want) {
		t.Errorf("the README lists %v, want %v", got, want)
	}
}
