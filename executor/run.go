package executor

import (
	"context"
	"errors"
)

// Run takes a runbook to its end, from wherever its journal says that it
// stands. What it has done is told with every error too.
func Run(ctx context.Context, cfg Config) (Done, error) {
	return Done{}, errors.New("not built yet")
}
