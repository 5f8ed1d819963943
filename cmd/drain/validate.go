package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"drain/plan"
	"drain/runbooks"
)

func validateVerb() verb {
	return verb{
		name: "validate", args: "RUNBOOK.yaml", most: 1, keys: allKeys,
		usage: "say what is wrong with a runbook; nothing is contacted",
		act: func(_ context.Context, s *session) error {
			rb, path, err := s.readRunbook()
			if err != nil {
				return errors.Join(err, s.writeInvalid(path, err))
			}
			if s.output == "json" {
				return json.NewEncoder(s.stdout).Encode(map[string]any{"runbook": path, "valid": true, "brokers": rb.Brokers})
			}
			_, err = fmt.Fprintf(s.stdout, "%s is valid: drains %s\n", s.flags.Args().First(), plan.BrokerNames(rb.Brokers))
			return err
		},
	}
}

// problemJSON is one thing that is wrong with a runbook.
type problemJSON struct {
	Line    int    `json:"line,omitempty"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// writeInvalid is the document for a runbook that is not valid: what is wrong as
// one text, and with its lines. Text goes to stderr as every complaint does.
func (s *session) writeInvalid(path string, err error) error {
	if s.output != "json" {
		return nil
	}
	return json.NewEncoder(s.stdout).Encode(map[string]any{"runbook": path, "valid": false, "error": err.Error(), "errors": problemsOf(err)})
}

// problemsOf takes an error apart. One that is about the file is one problem.
func problemsOf(err error) []problemJSON {
	all, ok := errors.AsType[runbooks.Errors](err)
	if !ok {
		return []problemJSON{{Message: err.Error()}}
	}
	var problems []problemJSON
	for _, e := range all {
		problems = append(problems, problemJSON{e.Line, e.Key, e.Message, e.Remedy})
	}
	return problems
}

func schemaVerb() verb {
	return verb{
		name: "schema", usage: "print the JSON Schema of runbooks",
		act: func(_ context.Context, s *session) error {
			_, err := s.stdout.Write(runbooks.Schema())
			return err
		},
	}
}
