package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"drain/executor"
	"drain/runbooks"
)

func throttleVerb() verb {
	return verb{
		name: "throttle", args: "RUNBOOK.yaml RATE", most: 2,
		usage: "change the rate of a live run within one poll, or of the next",
		act: func(_ context.Context, s *session) error {
			if s.flags.NArg() < 2 {
				return usageError{"throttle needs a runbook and a rate: drain throttle RUNBOOK.yaml 50MB/s (or none)"}
			}
			rate, err := runbooks.ParseRate(s.flags.Args().Get(1))
			if err != nil {
				return usageError{fmt.Sprintf("RATE: %v", err)}
			}
			return s.send(executor.Request{Kind: executor.AskThrottle, BytesPerSec: rate.BytesPerSec},
				fmt.Sprintf("throttle %s", rate))
		},
	}
}

func approveVerb() verb {
	return verb{
		name: "approve", args: "RUNBOOK.yaml", most: 1, usage: "answer an approve step from another shell",
		act: func(_ context.Context, s *session) error {
			return s.send(executor.Request{Kind: executor.AskApprove}, "approval")
		},
	}
}

// send leaves a request for the live run of a runbook, a throttle for the next one
// too.
func (s *session) send(req executor.Request, what string) error {
	path, err := s.runbookPath()
	if err != nil {
		return err
	}
	files := executor.FilesOf(s.stateDir(), path)
	alive, err := executor.Alive(files)
	if err != nil {
		return err
	}
	if alive {
		err = unawaited(req.Kind, path, files)
	} else {
		err = s.unheard(req.Kind, path)
	}
	if err != nil {
		return err
	}
	req.Who, req.Time = who(), time.Now()
	if err := executor.Send(files, req); err != nil {
		return err
	}
	if s.output == "json" {
		return json.NewEncoder(s.stdout).Encode(map[string]any{"request": req.Kind, "live": alive})
	}
	to := "no run is alive on this host; the next one takes it"
	if alive {
		to = "told the live run"
	}
	_, err = fmt.Fprintf(s.stdout, "%s: %s.\n", what, to)
	return err
}

// unawaited refuses the answer to a question that a live run has not asked.
func unawaited(kind executor.RequestKind, path string, files executor.Files) error {
	if kind != executor.AskApprove {
		return nil
	}
	waits, err := executor.Awaits(files)
	if err == nil && !waits {
		err = usageError{fmt.Sprintf("the run of %s does not wait for an approval now; `drain status` tells how far it is", filepath.Base(path))}
	}
	return err
}

// unheard refuses what no run would ever hear of.
func (s *session) unheard(kind executor.RequestKind, path string) error {
	if _, err := os.Stat(path); err != nil { // misspelt
		return usageError{err.Error()}
	}
	if rb, _, err := s.readRunbook(); err == nil && rb.Cluster.Simulated != "" {
		return usageError{"a simulated cluster is that of its run alone, which hears nothing from another shell"}
	}
	if kind != executor.AskThrottle {
		return usageError{fmt.Sprintf("no run of %s is alive on this host", filepath.Base(path))}
	}
	return nil
}
