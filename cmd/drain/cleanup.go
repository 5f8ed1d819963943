package main

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"drain/executor"
	"drain/plan"
)

func cleanupVerb() verb {
	return verb{
		name: "cleanup", streams: true, args: "RUNBOOK.yaml", most: 1, keys: allKeys,
		usage: "give back what a run that died has changed: waits for its moves in flight, then pays its debts",
		flags: []cli.Flag{
			&cli.BoolFlag{Name: "no-journal", Usage: "the journal is lost: list what fits a drain of --broker, and cancel and clear it (with --bootstrap no runbook is needed)"},
			&cli.BoolFlag{Name: "cancel", Usage: "take the moves in flight back instead of waiting for them"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "with --no-journal: ask nothing; what a journal owes is given back without a question"},
		},
		act: func(ctx context.Context, s *session) error {
			if s.flags.Bool("no-journal") {
				return s.sweep(ctx)
			}
			return s.withJournal(ctx, func(cfg executor.Config) (executor.Done, error) {
				return executor.Cleanup(ctx, cfg, s.flags.Bool("cancel"))
			}, writeGivenBack)
		},
	}
}

func cancelVerb() verb {
	return verb{
		name: "cancel", streams: true, args: "RUNBOOK.yaml", most: 1, keys: allKeys,
		usage: "cancel the moves that a run has in flight, restore the order of replicas, and give back what it changed",
		flags: []cli.Flag{&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "for scripts that give it to every verb: a cancel never asks"}},
		act: func(ctx context.Context, s *session) error {
			asked := false
			return s.withJournal(ctx, func(cfg executor.Config) (done executor.Done, err error) {
				done, asked, err = executor.Cancel(ctx, cfg)
				return done, err
			}, func(w io.Writer, done executor.Done) {
				if asked {
					fmt.Fprintln(w, "The live run was asked to cancel its moves; it ends with 130, or 7 if a stop has begun.")
					return
				}
				writeGivenBack(w, done)
			})
		},
	}
}

func restoreVerb() verb {
	return verb{
		name: "restore", streams: true, args: "RUNBOOK.yaml", most: 1, keys: allKeys,
		usage: "after maintenance: take the cordon off, and put replicas and preferred leaders back as the journal knows them",
		flags: []cli.Flag{&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "ask nothing"}},
		act: func(ctx context.Context, s *session) error {
			waiting := 0
			return s.withJournal(ctx, func(cfg executor.Config) (done executor.Done, err error) {
				done, waiting, err = executor.Restore(ctx, cfg)
				return done, err
			}, func(w io.Writer, _ executor.Done) { writeRestored(w, waiting, s.flags.Args().First()) })
		},
	}
}

// withJournal lets the executor act on the journal of the runbook.
func (s *session) withJournal(ctx context.Context, act func(executor.Config) (executor.Done, error), result func(io.Writer, executor.Done)) error {
	rb, path, err := s.readRunbook()
	if err != nil {
		return err
	}
	if rb.Cluster.Simulated != "" {
		return errNothingStays
	}
	t, err := s.redial(ctx, rb, path)
	if err != nil {
		return err
	}
	defer t.close()
	return s.carry(s.config(t, rb, path), act, result)
}

// writeRestored says too that a restore puts back one run at a time.
func writeRestored(w io.Writer, waiting int, runbook string) {
	if waiting == 0 {
		fmt.Fprintln(w, "Restored.")
		return
	}
	fmt.Fprintf(w, "The last run is restored, and what %s moved is still away: run `drain restore %s` again.\n",
		plan.Count(waiting, "earlier run", "earlier runs"), runbook)
}

func writeGivenBack(w io.Writer, done executor.Done) {
	switch {
	case done.Journal == "":
		fmt.Fprintln(w, "No run of this runbook is open: nothing to give back.")
	case len(done.Owed) == 0:
		fmt.Fprintln(w, "Everything is given back.")
	default:
		fmt.Fprintf(w, "%s still owed.\n", plan.Count(len(done.Owed), "setting is", "settings are"))
	}
}
