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
				fmt.Sprintf("throttle %s", rate), true)
		},
	}
}

func approveVerb() verb {
	return verb{
		name: "approve", args: "RUNBOOK.yaml", most: 1, usage: "answer an approve step from another shell",
		act: func(_ context.Context, s *session) error {
			return s.send(executor.Request{Kind: executor.AskApprove}, "approval", false)
		},
	}
}

// send leaves a request for the live run of a runbook. Only what may wait is
// left for the next run.
func (s *session) send(req executor.Request, what string, mayWait bool) error {
	path, err := s.runbookPath()
	if err != nil {
		return err
	}
	files := executor.FilesOf(s.stateDir(), path)
	alive, err := executor.Alive(files)
	if err != nil {
		return err
	}
	if !alive {
		if _, err := os.Stat(path); err != nil { // misspelt: no run would ever hear of it
			return usageError{err.Error()}
		}
		if rb, _, err := s.readRunbook(); err == nil && rb.Cluster.Simulated != "" {
			return usageError{"a simulated cluster is that of its run alone, which hears nothing from another shell"}
		}
		if !mayWait {
			return usageError{fmt.Sprintf("no run of %s is alive on this host", filepath.Base(path))}
		}
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
