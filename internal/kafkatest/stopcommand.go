package kafkatest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// StopCommand is an argv that stops one broker from outside with SIGTERM, as a
// site's stop command would, and does not wait for its end. The first word is a
// program that stays the same over restarts, the second the broker's id, where a
// runbook writes {broker}. Each run leaves a mark, see StopRuns.
func (c *Cluster) StopCommand(id int32) []string {
	return []string{c.stopScript(), strconv.Itoa(int(c.node(id).id))}
}

// StopRuns tells how often the stop command ran for a broker.
func (c *Cluster) StopRuns(id int32) int {
	marks, _ := os.ReadFile(c.stopMarks(id)) // no file: never
	return len(marks)
}

func (c *Cluster) stopScript() string { return filepath.Join(c.root, "stop-broker") }

func (c *Cluster) stopMarks(id int32) string { return filepath.Join(c.node(id).home, "stops") }

// writeStopScript makes the program of StopCommand. One printf of one byte to a
// file opened for appending is a mark that concurrent runs cannot lose.
func (c *Cluster) writeStopScript() error {
	text := fmt.Sprintf(`#!/bin/sh
set -eu
cd '%s/node-'"$1"
printf . >>stops
exec kill -TERM "$(cat pid)"
`, c.root)
	return os.WriteFile(c.stopScript(), []byte(text), 0o755)
}
