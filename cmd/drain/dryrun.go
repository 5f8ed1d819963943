package main

import (
	"fmt"
	"io"
	"os"

	"drain/plan"
	"drain/runbooks"
)

// writeDrySteps prints the commands that a run would start, with their
// placeholders filled in.
func writeDrySteps(w io.Writer, rb runbooks.Runbook, c plan.Cluster) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "\na run would take these steps:")
	for _, step := range rb.Steps {
		if step.Kind != runbooks.Stop {
			fmt.Fprintf(w, "  %s\n", stepText(step))
			continue
		}
		for _, id := range rb.Brokers {
			b, _ := c.Broker(id)
			argv, err := runbooks.Expand(rb.Stop.Command, runbooks.Placeholders{Broker: id, Host: b.Host, Rack: b.Rack, Drain: self})
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "  stop broker %d: %s\n", id, quoteArgv(argv))
		}
	}
	return nil
}

// stepText is a step as the runbook names it, with what it says or runs.
func stepText(step runbooks.Step) string {
	switch {
	case step.Run != nil:
		return fmt.Sprintf("run %s: %s", step.Run.Name, quoteArgv(step.Run.Command))
	case step.Approve != "":
		return "approve: " + step.Approve
	}
	return string(step.Kind)
}
