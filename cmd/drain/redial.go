package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"drain/executor"
	"drain/internal/kafka"
	"drain/runbooks"
)

// redial connects as the runbook says, and where nobody answers there, to the
// brokers that its journal knows: the only address of a runbook may be that of the
// broker which was stopped.
func (s *session) redial(ctx context.Context, rb runbooks.Runbook, path string) (*target, error) {
	t, err := s.dial(ctx, rb)
	if !errors.Is(err, kafka.ErrUnreachable) {
		return t, err
	}
	cluster, known, unread := executor.Reachable(executor.FilesOf(s.stateDir(), path))
	if unread != nil || len(known) == 0 || rb.Cluster.ID != "" && rb.Cluster.ID != cluster {
		return nil, err
	}
	first := rb.Cluster.Bootstrap
	rb.Cluster.Bootstrap, rb.Cluster.ID = known, cluster
	t, again := s.dial(ctx, rb)
	if again != nil {
		return nil, err
	}
	fmt.Fprintf(s.stderr, "drain: nobody answers at %s; the other brokers are known from the journal\n", strings.Join(first, ", "))
	return t, nil
}
