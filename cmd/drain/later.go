package main

import (
	"context"
)

// later is a verb that is not built yet: it is refused, never ignored.
func later(name, args, usage string) verb {
	return verb{name: name, args: args, usage: usage + " (not supported yet)", most: 2, keys: allKeys,
		act: func(context.Context, *session) error { return usageError{"drain " + name + " is not supported yet"} }}
}

func rehearseVerb() verb {
	return later("rehearse", "RUNBOOK.yaml", "the run on a simulated twin of the cluster, in virtual time")
}
