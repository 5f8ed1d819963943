package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"drain/plan"
)

// reassignmentJSON is the file that kafka-reassign-partitions takes with
// --reassignment-json-file (ReassignPartitionsCommand, version 1).
type reassignmentJSON struct {
	Version    int                     `json:"version"`
	Partitions []reassignmentPartition `json:"partitions"`
}

type reassignmentPartition struct {
	Topic     string   `json:"topic"`
	Partition int32    `json:"partition"`
	Replicas  []int32  `json:"replicas"`
	LogDirs   []string `json:"log_dirs,omitempty"`
}

// writeKafkaPlan writes the plan for Kafka's own tool, or with rollback the
// assignment that was there before.
func writeKafkaPlan(w io.Writer, p plan.Plan, rollback bool) error {
	doc := reassignmentJSON{Version: 1, Partitions: []reassignmentPartition{}}
	for _, m := range p.Moves {
		part := reassignmentPartition{Topic: m.Topic, Partition: m.Partition, Replicas: m.After}
		if rollback {
			part.Replicas = m.Before
		} else {
			part.LogDirs = logDirs(m)
		}
		doc.Partitions = append(doc.Partitions, part)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}

// writeKafkaLacks says what drain run does for a plan and Kafka's own tool does not:
// it starts all moves of a file at once, and sets nothing.
func writeKafkaLacks(w io.Writer, p plan.Plan) {
	var first, then []string
	for _, m := range p.Moves {
		if m.Helper {
			first = append(first, m.TopicPartition.String())
		}
		if m.Wave > 0 {
			then = append(then, m.TopicPartition.String())
		}
	}
	if len(first) > 0 {
		fmt.Fprintf(w, "note: split the file: %s must have moved, and the old files be erased (file.delete.delay.ms), before there is room for %s\n",
			strings.Join(first, ", "), strings.Join(then, ", "))
	}
	for _, o := range p.Overrides {
		fmt.Fprintf(w, "note: set min.insync.replicas=%d for topic %s while it moves, or writes with acks=all fail\n", o.MinISR, printable(o.Topic))
	}
}

// logDirs is one dir for each replica of the target, "any" where none is named,
// or nothing if none is named at all.
func logDirs(m plan.Move) []string {
	var dirs []string
	for i, broker := range m.To {
		if i >= len(m.Dirs) || m.Dirs[i] == "" {
			continue
		}
		if dirs == nil {
			dirs = make([]string, len(m.After))
			for k := range dirs {
				dirs[k] = "any"
			}
		}
		for k, id := range m.After {
			if id == broker {
				dirs[k] = m.Dirs[i]
			}
		}
	}
	return dirs
}
