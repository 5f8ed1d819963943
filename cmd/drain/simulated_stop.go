package main

import (
	"context"

	"drain/internal/simkafka"
	"drain/runbooks"
)

// simulatedStopVerb is the stop command of runbooks on the embedded cluster. It
// is a process of its own, as a real stop command is, and reaches the cluster
// that started it through DRAIN_SIMULATED.
func simulatedStopVerb() verb {
	return verb{
		name: "simulated-stop", args: "BROKER", most: 1, hidden: true,
		usage: "stop a broker of the simulated cluster that this command was started by",
		act: func(_ context.Context, s *session) error {
			id, err := runbooks.ParseID(s.flags.Args().First())
			if err != nil {
				return usageError{err.Error()}
			}
			address := s.env("DRAIN_SIMULATED")
			if address == "" {
				return usageError{"simulated-stop runs only as the stop command of a run on a simulated cluster (DRAIN_SIMULATED is not set)"}
			}
			return simkafka.StopBroker(address, id)
		},
	}
}
