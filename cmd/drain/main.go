// Command drain takes an Apache Kafka broker out of service without anyone
// noticing: it moves the replicas away, proves that the stop leaves nothing
// leaderless, stops the broker, and confirms that the cluster holds.
//
// This package is flags, wiring, rendering and the exit code; it decides
// nothing. The decisions are in plan, election and executor.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // windows name time zones, and minimal hosts have no database
)

func main() {
	s := system{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		getenv: os.LookupEnv,
	}
	os.Exit(s.main(context.Background(), os.Args))
}
